// The typed signatures of the tools that code can call, as a Python stub that the model can read.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Environment } from "../../environment/environment.ts";
import type { OwnedTool } from "../../tools/toolset.ts";
import { buildStub } from "./stub.ts";

export class StubFiles {
  readonly #home: string;
  readonly #written = new WeakMap<Environment, Set<string>>();

  constructor(home: string) {
    this.#home = home;
  }

  /** Writes the stub where it does not stand yet; its name follows from its content, so the prompt stays the same. */
  async write(tools: readonly OwnedTool[], environment: Environment): Promise<string> {
    const text = buildStub(tools.map(({ tool }) => tool));
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const file = join(this.#home, "code-mode", `tools-${hash}.pyi`);
    const written = this.#written.get(environment) ?? new Set();
    this.#written.set(environment, written);
    if (!written.has(file) && (await environment.stat(file)) === undefined) await environment.writeText(file, text);
    written.add(file);
    return file;
  }
}
