// Hand-offs of any tape and any run: what is left pairs calls and results.

import fc from "fast-check";
import { expect, test } from "vitest";
import { echo } from "../../../test/support/agent-runs.ts";
import { afterLastAnchor, anchorsIn, isWellFormed, tooLong } from "../../../test/support/overflows.ts";
import { entry } from "../../../test/support/tape-entries.ts";
import { carriedDrafts } from "../../tape/carried.ts";
import { calls, callTool, fail, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { buildContext } from "./context.ts";
import { withPreviews } from "./result-preview.ts";

const turns = fc.constantFrom("before", "now");
const ids = fc.constantFrom("a", "b", "c");
const anyEntry = fc.oneof(
  fc
    .tuple(turns, fc.constantFrom("user", "assistant"))
    .map(([turn_id, role]) => entry("message", { role, content: "m" }, { turn_id })),
  fc
    .tuple(turns, fc.uniqueArray(ids, { minLength: 1 }))
    .map(([turn_id, called]) =>
      entry("tool_call", { calls: called.map((id) => ({ id, name: "echo", arguments: {} })) }, { turn_id }),
    ),
  fc.tuple(turns, ids, fc.boolean(), fc.boolean()).map(([turn_id, id, paired, told]) =>
    entry(
      "tool_result",
      { results: ["r".repeat(2_000)] },
      {
        ...{ turn_id },
        ...(paired && { calls: [{ id, name: "echo", status: "ok" }] }),
        ...(told && { tasks: ["sub-00000001"] }),
      },
    ),
  ),
  turns.map((turn_id) => entry("event", { name: "run", data: { status: "ok" } }, { turn_id })),
);

test("R2.6 property: what is carried of any tape, cut anywhere, makes a request that pairs calls and results", () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 30 }), fc.boolean(), (entries, cut) => {
      const inbound = entry("message", { role: "user", content: "go" }, { turn_id: "now" });
      const recent = [entry("anchor", { name: "a" }, {}), inbound, ...entries];
      const drafts = carriedDrafts(recent, "now").map((draft) => (cut ? withPreviews(draft) : draft));
      const after = buildContext(drafts.map(({ kind, payload, meta = {} }) => entry(kind, payload, meta)));
      // A call that is still open stays so: its result is written after the anchor, or told as interrupted.
      const kept = drafts.some(({ kind }) => kind === "tool_call");
      if (kept) expect(after.openCalls).toEqual(expect.arrayContaining([...buildContext(recent).openCalls]));
      expect(isWellFormed(after.messages)).toBe(true);
    }),
  );
});

test("R2.6 property: an overflow at any model call of any run leaves requests that pair calls and results, with a user message, and need nothing before the anchor", async () => {
  const step = fc.record({
    calls: fc.integer({ min: 0, max: 3 }),
    overflows: fc.integer({ min: 0, max: 2 }),
    summary: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const answers = steps.flatMap(({ calls: count, overflows, summary }, index) => [
        ...(overflows > 0 ? [tooLong(), summary ? say(`summary ${index}`) : fail(400)] : []),
        ...(overflows > 1 ? [tooLong()] : []),
        count === 0
          ? say(`answer ${index}`)
          : calls(...Array.from({ length: count }, (_, at) => callTool("echo", { text: `${index} ${at}` }))),
      ]);
      const model = scriptedModel([...answers, say("end")]);
      await using runtime = await testRuntime({ model, tools: [echo] });
      for (let turn = 0; model.left > 0 && turn < 10; turn++)
        expect((await runtime.send(`message ${turn}`)).status).toBe("ok");
      for (const request of model.requests) expect(isWellFormed(request.messages)).toBe(true);
      const entries = await runtime.entries();
      const handedOff = anchorsIn(entries).length;
      expect(handedOff).toBe(steps.reduce((sum, { overflows }) => sum + overflows, 0));
      // Each request since the last anchor is what the entries since then make.
      const last = buildContext(afterLastAnchor(entries)).messages;
      const sent = model.requests.at(-1)?.messages ?? [];
      expect(last.slice(0, sent.length)).toEqual(sent);
    }),
    { numRuns: 25 },
  );
});
