// Imports a module by its address, also from code that has no `import()` of its own.

/** Given by whoever runs this code as a script (`src/cli/kept-code.ts`); elsewhere there is no such name. */
declare const importModule: ((address: string) => Promise<unknown>) | undefined;

/** @param address an URL. @throws what loading the module throws */
export function importFrom(address: string): Promise<unknown> {
  return typeof importModule === "function" ? importModule(address) : import(address);
}
