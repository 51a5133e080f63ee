import { describe, expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { refusalOf } from "./wire-rules.ts";

/** Changes one thing of a body that would be taken. */
type Change = (body: JsonObject) => void;
const at = (body: JsonObject, ...path: readonly (string | number)[]): JsonObject =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], body) as JsonObject;

const chat = () => ({
  messages: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "bash", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "a", content: "ok" },
    { role: "assistant", content: "done" },
  ],
});

const chatRefusals: readonly [string, Change][] = [
  ["message 3 says and calls nothing", (body) => Object.assign(at(body, "messages", 3), { content: null })],
  ["a is no call", (body) => Object.assign(at(body, "messages", 1, "tool_calls", 0, "function"), { name: "fs.read" })],
  ["a is no call", (body) => Object.assign(at(body, "messages", 1, "tool_calls", 0, "function"), { arguments: "{" })],
  [" is no call", (body) => Object.assign(at(body, "messages", 1, "tool_calls", 0), { id: "" })],
  [
    "message 2 is a result of something else than text",
    (body) => Object.assign(at(body, "messages", 2), { content: [] }),
  ],
  [
    "message 2 is the result of b, which no call waits for",
    (body) => Object.assign(at(body, "messages", 2), { tool_call_id: "b" }),
  ],
  ["message 2 stands before the results of a", (body) => Object.assign(at(body, "messages", 2), { role: "user" })],
];

const responses = () => ({
  input: [
    { role: "user", content: "go" },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
    { type: "function_call", call_id: "a", name: "bash", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "ok" },
    { role: "assistant", content: "done" },
  ],
});

const responsesRefusals: readonly [string, Change][] = [
  [
    "item 1 is reasoning that nobody has stored",
    (body) => Object.assign(at(body, "input", 1), { encrypted_content: null }),
  ],
  [
    "item 1 is reasoning without the item that it led to",
    (body) => void (at(body, "input") as never as object[]).splice(2, 3),
  ],
  ["a is no call", (body) => Object.assign(at(body, "input", 2), { name: "" })],
  ["a is no call", (body) => Object.assign(at(body, "input", 2), { arguments: "[]" })],
  [" is no call", (body) => Object.assign(at(body, "input", 2), { call_id: "" })],
  ["item 4 is an answer without text", (body) => Object.assign(at(body, "input", 4), { content: "" })],
  ["there is no result for a", (body) => void (at(body, "input") as never as object[]).splice(3, 1)],
];

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
const anthropic = () => ({
  messages: [
    { role: "user", content: [{ type: "text", text: "go" }, structuredClone(image)] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "", signature: "signed" },
        { type: "tool_use", id: "a", name: "bash", input: {} },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", is_error: true, content: [{ type: "text", text: "no" }] }],
    },
    { role: "assistant", content: [{ type: "text", text: "done" }] },
  ],
});

const anthropicRefusals: readonly [string, Change][] = [
  [
    "message 1 has thinking without a signature",
    (body) => Object.assign(at(body, "messages", 1, "content", 0), { signature: "" }),
  ],
  [
    "message 1 has redacted thinking without data",
    (body) => Object.assign(at(body, "messages", 1, "content", 0), { type: "redacted_thinking" }),
  ],
  [
    "message 3 ends with thinking",
    (body) => (at(body, "messages", 3, "content") as never as object[]).push({ type: "thinking", signature: "s" }),
  ],
  [
    "message 2 has a failed result of more than text",
    (body) => (at(body, "messages", 2, "content", 0, "content") as never as object[]).push(image),
  ],
  [
    "message 0 has an image of none of the four types, or an empty one",
    (body) => Object.assign(at(body, "messages", 0, "content", 1, "source"), { media_type: "image/tiff" }),
  ],
  [
    "message 0 has an image of none of the four types, or an empty one",
    (body) => Object.assign(at(body, "messages", 0, "content", 1, "source"), { data: "" }),
  ],
  ["a is no call", (body) => Object.assign(at(body, "messages", 1, "content", 1), { name: "fs.read" })],
  ["a is no call", (body) => Object.assign(at(body, "messages", 1, "content", 1), { input: "{}" })],
  [
    "a:0 is no id",
    (body) => {
      Object.assign(at(body, "messages", 1, "content", 1), { id: "a:0" });
      Object.assign(at(body, "messages", 2, "content", 0), { tool_use_id: "a:0" });
    },
  ],
];

const google = () => ({
  contents: [
    { role: "user", parts: [{ text: "go" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
    { role: "model", parts: [{ functionCall: { name: "bash", args: {} }, thoughtSignature: "s" }] },
    { role: "user", parts: [{ functionResponse: { name: "bash", response: {} } }] },
    { role: "model", parts: [{ text: "", thoughtSignature: "s" }] },
  ],
});

const oddPart = (index: number) => `content ${index} has a part that says nothing, or is no call`;
const googleRefusals: readonly [string, Change][] = [
  [oddPart(0), (body) => Object.assign(at(body, "contents", 0, "parts", 1, "inlineData"), { data: "" })],
  [oddPart(0), (body) => Object.assign(at(body, "contents", 0, "parts", 0), { text: null })],
  [oddPart(1), (body) => Object.assign(at(body, "contents", 1, "parts", 0, "functionCall"), { args: null })],
  [oddPart(1), (body) => Object.assign(at(body, "contents", 1, "parts", 0, "functionCall"), { name: "1st" })],
  [oddPart(2), (body) => Object.assign(at(body, "contents", 2, "parts", 0, "functionResponse"), { response: "ok" })],
  [
    "content 1 has an unsigned call",
    (body) => Object.assign(at(body, "contents", 1, "parts", 0), { thoughtSignature: undefined }),
  ],
];

describe.each([
  ["chat", chat, chatRefusals],
  ["responses", responses, responsesRefusals],
  ["anthropic", anthropic, anthropicRefusals],
  ["google", google, googleRefusals],
] as const)("%s", (wire, sound, refusals) => {
  test("R5.1 a sound conversation is taken", () => {
    expect(refusalOf(wire, sound())).toBeUndefined();
  });

  test.each(refusals)("R5.1 what its provider refuses is found: %s", (refusal, change) => {
    const body: JsonObject = sound();
    change(body);
    expect(refusalOf(wire, body)).toBe(refusal);
  });
});
