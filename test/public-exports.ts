// What the package promises, reviewed by people: a name appears or goes only together with a line here.
export const publicExports: Record<string, readonly string[]> = {
  "src/index.ts": [],
  "src/plugins/index.ts": [],
  "src/testing/index.ts": [],
};
