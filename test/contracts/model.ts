// What every model keeps to, whatever it asks: the suite that each implementation of the port runs.
import { describe, expect, test } from "vitest";
import { guardModel } from "../../src/model/guard.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { isModelError } from "../../src/model/model-error.ts";
import { failureOf, readAll } from "./golden-streams.ts";

/** A model that is about to do one thing. */
export interface PreparedModel extends AsyncDisposable {
  readonly model: Model;
}

/** How an implementation is brought to do each thing; one that it cannot do is left out. */
export interface ModelScenarios {
  /** Says "Hello there." with usage `{input_tokens: 10, output_tokens: 3, total_tokens: 13}`. */
  text(): Promise<PreparedModel>;
  /** Thinks "Hm." and says "Hello there." */
  reasoning?(): Promise<PreparedModel>;
  /** Calls `add` with `{a: 1}` and `bash` with `{command: "ls"}` in one answer. */
  calls(): Promise<PreparedModel>;
  /** Says "Hel" and ends without a finish. */
  cut?(): Promise<PreparedModel>;
  /** Fails with status 500. */
  failure(): Promise<PreparedModel>;
  /** Fails with status 429, to be asked again in 2 seconds. */
  limited(): Promise<PreparedModel>;
  /** Says "Hel" and nothing more. */
  stall?(): Promise<PreparedModel>;
}

export const question: Omit<ModelRequest, "signal"> = {
  system: "Be brief.",
  messages: [{ role: "user", content: "go" }],
  tools: [
    { name: "add", description: "Adds.", parameters: { type: "object", properties: { a: { type: "number" } } } },
    { name: "bash", description: "Runs.", parameters: { type: "object", properties: { command: { type: "string" } } } },
  ],
  maxTokens: 100,
  loadMedia: async () => "",
};

export function describeModel(name: string, scenarios: ModelScenarios): void {
  describe(`the contract of models: ${name}`, () => {
    const ask = async (prepare: () => Promise<PreparedModel>) => {
      await using prepared = await prepare();
      return await readAll(prepared.model.stream({ ...question, signal: new AbortController().signal }));
    };

    test("says who it is", async () => {
      await using prepared = await scenarios.text();
      expect(prepared.model.provider).not.toBe("");
      expect(prepared.model.modelId).not.toBe("");
    });

    test("R2.9 text comes in deltas, the finish last, with its usage", async () => {
      await using prepared = await scenarios.text();
      const events: ModelEvent[] = [];
      for await (const event of prepared.model.stream({ ...question, signal: new AbortController().signal }))
        events.push(event);
      expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({
        type: "finish",
        reason: "stop",
        usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 },
      });
      expect(events.some((event) => event.type === "text-delta" && event.delta === "")).toBe(false);
      expect(await ask(scenarios.text)).toMatchObject({ text: "Hello there.", reasoning: "", calls: [] });
    });

    test.skipIf(scenarios.reasoning === undefined)("R4.3 reasoning is told apart from text", async () => {
      expect(await ask(scenarios.reasoning ?? scenarios.text)).toMatchObject({
        text: "Hello there.",
        reasoning: "Hm.",
      });
    });

    test("R2.8 parallel calls come whole, in order, with ids of their own", async () => {
      const { calls, finish } = await ask(scenarios.calls);
      expect(calls).toMatchObject([
        { name: "add", arguments: { a: 1 } },
        { name: "bash", arguments: { command: "ls" } },
      ]);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
      expect(finish?.reason).toBe("tool-calls");
    });

    test("R2.5 a failure is a model error with its facts", async () => {
      const { error } = await ask(scenarios.failure);
      expect(isModelError(error)).toBe(true);
      expect(error).toMatchObject({ kind: "temporary", facts: { failure: "server", retryable: true, status: 500 } });
      expect((await ask(scenarios.limited)).error).toMatchObject({
        facts: { failure: "rate-limited", retryable: true, status: 429, retryAfterMs: 2000 },
      });
    });

    test.skipIf(scenarios.cut === undefined)(
      "R2.8 a stream without a finish is a cut, after what it said",
      async () => {
        const reading = await ask(scenarios.cut ?? scenarios.text);
        expect(failureOf(reading)).toBe("cut");
        expect(reading).toMatchObject({ text: "Hel", calls: [] });
      },
    );

    test.skipIf(scenarios.stall === undefined)("R1.7 cancelling ends it with the signal's reason", async () => {
      await using prepared = await (scenarios.stall ?? scenarios.text)();
      const controller = new AbortController();
      const reason = new Error("stop");
      const events = prepared.model.stream({ ...question, signal: controller.signal })[Symbol.asyncIterator]();
      expect((await events.next()).value).toEqual({ type: "text-delta", delta: "Hel" });
      controller.abort(reason);
      await expect(events.next()).rejects.toBe(reason);
    });

    test("an aborted signal asks nobody", async () => {
      await using prepared = await scenarios.text();
      const reason = new Error("before");
      const { error } = await readAll(prepared.model.stream({ ...question, signal: AbortSignal.abort(reason) }));
      expect(error).toBe(reason);
    });

    test("the guard changes nothing of a sound answer", async () => {
      const guarded = async () => {
        const prepared = await scenarios.calls();
        return {
          model: guardModel(prepared.model, { idleMs: 5_000, timeoutMs: 10_000 }),
          [Symbol.asyncDispose]: () => prepared[Symbol.asyncDispose](),
        };
      };
      const plain = await ask(scenarios.calls);
      const { calls, ...rest } = await ask(guarded);
      expect(withoutIds(rest)).toEqual(withoutIds({ ...plain, calls: undefined }));
      expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual(
        plain.calls.map(({ name, arguments: args }) => [name, args]),
      );
    });
  });
}

/** Servers number each answer anew. */
function withoutIds(reading: object): unknown {
  return JSON.parse(JSON.stringify(reading).replace(/"(id|encrypted_content)":"[^"]*"/g, '"$1":""'));
}
