import fc from "fast-check";
import { expect, test } from "vitest";
import { entry } from "../../../test/support/tape-entries.ts";
import type { ModelMessage } from "../../model/model.ts";
import { buildContext, ContextBuilder } from "./context.ts";

const user = (content: string) => entry("message", { role: "user", content });
const calls = (...ids: string[]) =>
  entry("tool_call", { calls: ids.map((id) => ({ id, name: "bash", arguments: { command: id } })) });
const result = (id: string, text: string) =>
  entry("tool_result", { results: [text] }, { calls: [{ id, name: "bash", status: "ok" }] });

const shape = (messages: readonly ModelMessage[]) =>
  messages.map((message) => {
    if (message.role === "tool") return `tool ${message.callId}: ${message.content}`;
    if (message.role === "assistant" && message.calls) return `calls ${message.calls.map(({ id }) => id).join(" ")}`;
    return `${message.role}: ${message.content}`;
  });

test("R3.2 results follow their calls in call order, whatever order they finished in", () => {
  const { messages } = buildContext([user("go"), calls("a", "b"), result("b", "second"), result("a", "first")]);
  expect(shape(messages)).toEqual(["user: go", "calls a b", "tool a: first", "tool b: second"]);
});

test("R3.2 results without meta.calls pair by position", () => {
  const { messages } = buildContext([calls("a", "b"), entry("tool_result", { results: ["1", "2"] })]);
  expect(shape(messages)).toEqual(["calls a b", "tool a: 1", "tool b: 2"]);
});

test("R3.3 a call without a result reads as interrupted", () => {
  const builder = buildContext([user("go"), calls("a", "b"), result("a", "done")]);
  expect(builder.openCalls.map(({ id }) => id)).toEqual(["b"]);
  expect(shape(builder.messages).at(-1)).toBe("tool b: [tool] interrupted: it may or may not have taken effect");
});

test("R3.2 entries with meta.context false never reach the model", () => {
  expect(buildContext([entry("message", { role: "user", content: "no" }, { context: false })]).messages).toEqual([]);
});

test("T0.7 an error result reaches the model as `[kind] message` with its details", () => {
  const failed = entry(
    "tool_result",
    { results: [{ kind: "tool", message: "command exited with code 1", details: { error: "E: no" } }] },
    { calls: [{ id: "a", name: "bash", status: "error" }] },
  );
  const { messages } = buildContext([calls("a"), failed]);
  expect(messages.at(-1)).toMatchObject({ content: "[tool] command exited with code 1\nerror: E: no", isError: true });
});

test("T6.6 with anchors shown, an anchor is the assistant message that names it and its state", () => {
  const anchor = entry("anchor", { name: "phase", state: { summary: "half" } });
  expect(buildContext([anchor]).messages).toEqual([]);
  expect(shape(buildContext([anchor], { anchors: true }).messages)).toEqual([
    'assistant: [Anchor created: phase]: {"summary":"half"}',
  ]);
});

test("reasoning and provider data of an answer stay with it", () => {
  const thoughtful = entry("tool_call", {
    calls: [{ id: "a", name: "x", arguments: {} }],
    reasoning: "hm",
    provider_data: { sig: 1 },
  });
  expect(buildContext([thoughtful]).messages[0]).toMatchObject({ reasoning: "hm", providerData: { sig: 1 } });
});

const anyEntry = fc.oneof(
  fc.string().map(user),
  fc.constantFrom("a", "b", "c").map((id) => result(id, `r-${id}`)),
  fc.subarray(["a", "b", "c"], { minLength: 1 }).map((ids) => calls(...ids)),
  fc.string().map((content) => entry("message", { role: "assistant", content })),
  fc.constant(0).map(() => entry("event", { name: "run" })),
);

test("R3.2 property: any tape's context pairs each call with one result right behind it, and keeps what it gave before", () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 30 }), (entries) => {
      const growing = new ContextBuilder();
      for (const one of entries) growing.push(one);
      const { messages } = growing;
      expect(messages).toEqual(buildContext(entries).messages);
      let waiting: string[] = [];
      for (const message of messages) {
        if (message.role === "tool") expect(waiting.shift()).toBe(message.callId);
        else {
          expect(waiting).toEqual([]);
          waiting = message.role === "assistant" ? (message.calls ?? []).map(({ id }) => id) : [];
        }
      }
      expect(waiting).toEqual([]);
    }),
  );
});

test("R2.4 property: a longer tape's context extends a shorter one's, message by message, wherever no call is open", () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 30 }), fc.nat(30), (entries, cut) => {
      const shorter = buildContext(entries.slice(0, cut));
      if (shorter.openCalls.length > 0) return;
      const before = shorter.messages;
      expect(buildContext(entries).messages.slice(0, before.length)).toEqual(before);
    }),
  );
});
