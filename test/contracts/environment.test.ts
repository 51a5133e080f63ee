import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { createMemoryEnvironment } from "../../src/environment/memory.ts";
import { describeEnvironment } from "./environment.ts";

function createLocal(hasWorkspace: boolean) {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), "bub-environment-"));
    return {
      environment: createLocalEnvironment({
        home: join(folder, "home"),
        workspace: hasWorkspace ? mkdtempSync(join(folder, "work-")) : undefined,
      }),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    };
  };
}

describeEnvironment({ name: "this machine", create: createLocal(true), createWithoutWorkspace: createLocal(false) });

describeEnvironment({
  name: "memory",
  create: async () => ({ environment: createMemoryEnvironment(), dispose: async () => {} }),
  createWithoutWorkspace: async () => ({
    environment: createMemoryEnvironment({ workspace: null }),
    dispose: async () => {},
  }),
});

test("T1.3 the memory environment touches nothing on the host and runs no processes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bub-memory-"));
  const environment = createMemoryEnvironment({
    workspace: folder,
    files: { "a.txt": "one", "/abs": new Uint8Array([1]) },
  });
  expect(await environment.readText("a.txt")).toBe("one");
  await environment.writeText("b/c.txt", "two");
  await environment.editText("a.txt", (text) => text.toUpperCase());
  expect([...environment.files.keys()]).toEqual(["/abs", join(folder, "a.txt"), join(folder, "b/c.txt")].sort());
  expect(existsSync(join(folder, "a.txt"))).toBe(false);
  expect(existsSync(join(folder, "b"))).toBe(false);
  rmSync(folder, { recursive: true });
  await expect(environment.readText(__filename)).rejects.toMatchObject({ kind: "not_found" });
  await expect(environment.spawn()).rejects.toThrow("this environment has files only: it runs no processes");
});

test("T1.3 code is refused where there are no processes", async () => {
  const memory = createMemoryEnvironment();
  const signal = new AbortController().signal;
  const request = { code: "1", sessionId: "s", timeoutMs: 1, signal, tools: [], call: async () => null };
  expect(memory.python).toBe("python3");
  await expect(memory.runCode(request)).rejects.toThrow("code mode is not available in this environment");
});
