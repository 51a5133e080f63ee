// A place for tests of code mode: a folder of its own for each test, and runtimes in it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { TapeEntry } from "../../src/tape/entry.ts";
import { callTool, type ScriptedModel, say, scriptedModel } from "../../src/testing/scripted-model.ts";
import {
  type TestRuntime,
  type TestRuntimeOptions,
  type TestTurn,
  testRuntime,
} from "../../src/testing/test-runtime.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { missing } from "./requirements.ts";

export const noPython = missing("python3");

export const add = defineTool({
  name: "math.add",
  description: "Add two numbers.",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number", default: 1 } }, required: ["a"] },
  run: ({ a, b }) => ({ sum: Number(a) + Number(b ?? 1) }),
});

export interface CodeWorld {
  /** The workspace of the test that runs, and the home of its code's user. */
  readonly folder: string;
  /** A runtime whose session is in code mode; dispose it. */
  open(options: TestRuntimeOptions): Promise<TestRuntime>;
  /** Runs code as a model's call and answers the call's result. Its tools are `add` unless others are given. */
  run(code: string, options?: TestRuntimeOptions & { timeout?: number }): Promise<CodeRun>;
}

export interface CodeRun {
  readonly result: TestTurn["toolResults"][number];
  readonly turn: TestTurn;
  readonly model: ScriptedModel;
  readonly entries: readonly TapeEntry[];
}

/** For the top of a test file. */
export function codeWorld(): CodeWorld {
  let folder = "";
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "bub-code-")));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open: CodeWorld["open"] = async (options) => {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      OPENAI_API_KEY: "sk-visible-to-shells",
      MINE: "1",
      ...options.env,
    };
    const settings = { home: join(folder, "home"), ...options.settings };
    const runtime = await testRuntime({ environment: null, workspace: folder, ...options, env, settings });
    await runtime.send(",code_mode enable=true");
    return runtime;
  };
  return {
    get folder() {
      return folder;
    },
    open,
    async run(code, { timeout, tools = [add], ...options } = {}) {
      const args = { code, ...(timeout !== undefined && { timeout_seconds: timeout }) };
      const model = scriptedModel([callTool("run_code", args), say("ok")]);
      await using runtime = await open({ ...options, tools, model });
      const turn = await runtime.send("go");
      expect(turn.errors).toEqual([]);
      const results = turn.toolResults.filter(({ name }) => name === "run_code");
      return { result: results[0] as CodeRun["result"], turn, model, entries: await runtime.entries() };
    },
  };
}
