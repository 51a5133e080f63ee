// What tests of runs share: a tool that says its input back, one that writes an anchor, and short forms of tapes and of requests.
import type { JsonObject } from "../../src/base/json.ts";
import type { ModelMessage } from "../../src/model/model.ts";
import type { EntryDraft, TapeEntry } from "../../src/tape/entry.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

export const echo = defineTool({
  name: "echo",
  description: "Say it back.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  run: ({ text }: JsonObject) => String(text),
});

/** A person's command that writes an anchor in the middle of a session. */
export const handOff = defineTool({
  name: "hand.off",
  description: "Write an anchor.",
  exposure: "command",
  run: (_args, { turn }) =>
    turn.tape.append([{ kind: "anchor", payload: { name: "here", state: {} } }]).then(() => "ok"),
});

/** Each entry in one word: the role of a message, the name of an event, else its kind. */
export const kinds = (entries: readonly (TapeEntry | EntryDraft)[]) =>
  entries.map(({ kind, payload }) => {
    if (kind === "event") return `event ${payload.name}`;
    return kind === "message" ? String(payload.role) : kind;
  });

/** Each message as its role and the last line of its text, or as the names of the tools that it calls. */
export const shape = (messages: readonly ModelMessage[] = []) =>
  messages.map((message) => {
    if (message.role === "assistant" && message.calls !== undefined)
      return `calls ${message.calls.map(({ name }) => name)}`;
    return `${message.role}: ${String(message.content).split("\n").at(-1)}`;
  });
