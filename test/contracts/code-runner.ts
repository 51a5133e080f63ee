// What every environment that runs code must do. Each case comes as Python and as the steps of the fake runner.
import { describe, expect, test } from "vitest";
import { CancelledError } from "../../src/base/abort.ts";
import { BubError } from "../../src/base/errors.ts";
import type { CodeRequest, Environment } from "../../src/environment/environment.ts";

export interface CodeRunnerCase {
  readonly name: string;
  readonly isMissing: boolean;
  create(): Promise<{ environment: Environment; dispose: () => Promise<void> }>;
  /** Code of this runner for each case. */
  readonly code: Readonly<Record<CaseName, string>>;
}

export type CaseName =
  | "prints"
  | "silent"
  | "calls"
  | "rescues"
  | "fails in a call"
  | "unknown tool"
  | "raises"
  | "hangs"
  | "calls and hangs";

export function describeCodeRunner({ name, isMissing, create, code }: CodeRunnerCase): void {
  const run = async (which: CaseName, more: Partial<CodeRequest> = {}) => {
    const { environment, dispose } = await create();
    try {
      return await environment.runCode({
        code: code[which],
        sessionId: "s",
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        tools: ["add", "fail", "tell"],
        call: async () => undefined,
        ...more,
      });
    } finally {
      await environment[Symbol.asyncDispose]();
      await dispose();
    }
  };

  describe.skipIf(isMissing)(`the code runner: ${name}`, () => {
    test("T8.2 the output is what was printed", async () => {
      expect(await run("prints")).toEqual({ output: "one\ntwo" });
      expect(await run("silent")).toEqual({ output: "" });
    });

    test("T8.3 a call crosses with its arguments, and its value comes back", async () => {
      const calls: unknown[] = [];
      const call: CodeRequest["call"] = async (tool, args) => {
        calls.push([tool, args]);
        return { sum: 3 };
      };
      expect((await run("calls", { call })).output.replaceAll(" ", "").replaceAll("'", '"')).toBe('{"sum":3}\n');
      expect(calls).toEqual([["add", { a: 1, b: 2 }]]);
    });

    test("T8.3 a failed call can be rescued, and ends the code when it is not", async () => {
      const call = () => Promise.reject(new BubError("not_found", "no such thing", { details: { where: "here" } }));
      expect((await run("rescues", { call })).output).toBe("not_found no such thing\n");
      const { error } = await run("fails in a call", { call });
      expect(error?.message).toBe("Code raised BubError: no such thing");
    });

    test("T8.3 a value that JSON has no word for fails the call, and the code ends", async () => {
      const { error } = await run("calls", { call: async () => 1n });
      expect(error?.message).toMatch(/^Code raised .*BigInt$/);
    });

    test("T8.3 an unknown tool is the code's error, and nothing is called", async () => {
      const call = () => Promise.reject(new Error("called"));
      const { error } = await run("unknown tool", { call });
      expect(error?.message).toMatch(/^Code raised AttributeError: there is no tool 'nothing'/);
    });

    test("T8.3 code that calls what the model calls itself is told so", async () => {
      const { error } = await run("unknown tool", { direct: ["bash", "nothing"] });
      expect(error?.message).toBe(
        "Code raised AttributeError: there is no tool 'nothing' inside code; call nothing directly",
      );
    });

    test("T8.4 what the code raises is the error, with the output so far and a traceback", async () => {
      const { output, error } = await run("raises");
      expect(output).toBe("before\n");
      expect(error?.message).toBe("Code raised ValueError: bad value");
      expect(error?.details.output).toBe("before\n");
      expect(error?.details.traceback).toMatch(/ValueError: bad value$/);
    });

    test("T8.2 a time that is longer than any timer takes never ends", async () => {
      expect(await run("prints", { timeoutMs: 1e12 })).toEqual({ output: "one\ntwo" });
    });

    test("T8.4 a time-out keeps the output so far", async () => {
      const { error } = await run("hangs", { timeoutMs: 1_500 });
      expect(error).toEqual({ message: "Code timed out after 1.5 seconds", details: { output: "so far" } });
    });

    test("T8.4 a cancel rejects with the signal's reason, also when it came before", async () => {
      const stop = new AbortController();
      const reason = new CancelledError("enough");
      const call: CodeRequest["call"] = async () => stop.abort(reason);
      await expect(run("calls and hangs", { signal: stop.signal, call })).rejects.toBe(reason);
      await expect(run("prints", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });
  });
}
