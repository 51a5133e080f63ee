// The sample project of the demo, a copy of examples/demo-project: its mistake is there on purpose.
export const projectFiles: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "demo-project",
  "private": true,
  "type": "module",
  "scripts": {
    "test": "node --test"
  }
}
`,
  "slugify.js": `// Makes the last part of an address from a title.
export function slugify(title) {
  return title.toLowerCase().replace(" ", "-");
}
`,
  "test/slugify.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../slugify.js";

test("letters become small", () => {
  assert.equal(slugify("Orchid"), "orchid");
});

test("every blank becomes a hyphen", () => {
  assert.equal(slugify("A Tale of Two Cities"), "a-tale-of-two-cities");
});
`,
};
