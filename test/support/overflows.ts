// What tests of full contexts share: a tool that says much, a refusal for length, and looks at what came of it.
import type { JsonObject } from "../../src/base/json.ts";
import type { ModelMessage, ModelRequest } from "../../src/model/model.ts";
import type { TapeEntry } from "../../src/tape/entry.ts";
import { fail } from "../../src/testing/scripted-model.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

export const big = defineTool({
  name: "big",
  description: "Say much.",
  input: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
  run: ({ size }: JsonObject) => `begin ${"x".repeat(Number(size))} end`,
});

/** The answer of a provider to what it cannot take. */
export const tooLong = (status = 400) => fail(status, { code: "context_length_exceeded", message: "too long" });

export const anchorName = "auto_handoff/context_overflow";

/** The anchors of hand-offs. */
export const anchorsIn = (entries: readonly TapeEntry[]) =>
  entries.filter(({ kind, payload }) => kind === "anchor" && payload.name === anchorName);

export const afterLastAnchor = (entries: readonly TapeEntry[]) =>
  entries.slice(entries.findLastIndex(({ kind }) => kind === "anchor"));

/** The summary is asked for without tools. */
export const isSummaryCall = ({ tools }: ModelRequest) => tools.length === 0;

export const textsOf = (messages: readonly ModelMessage[] = []) => messages.map(({ content }) => content);

/** True when each call has its result right behind it, and a user speaks. */
export function isWellFormed(messages: readonly ModelMessage[]): boolean {
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (waiting.shift() !== message.callId) return false;
    } else {
      if (waiting.length > 0) return false;
      waiting = message.role === "assistant" ? (message.calls ?? []).map(({ id }) => id) : [];
    }
  }
  return waiting.length === 0 && messages.some(({ role }) => role === "user");
}
