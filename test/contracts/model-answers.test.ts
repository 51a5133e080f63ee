// What servers of each format do beside their documentation, and what it is read as.
import { expect, test } from "vitest";
import type { Reading } from "./golden-expectation.ts";
import { failureOf, readChunks, type TestedFormat, testedFormats } from "./golden-streams.ts";

function read(name: TestedFormat["format"], body: object | readonly object[]): Promise<Reading> {
  const format = testedFormats.find((tested) => tested.format === name);
  if (format === undefined) throw new Error(`no format ${name}`);
  const events = (list: readonly object[]) => list.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
  const text = Array.isArray(body) ? events(body) : JSON.stringify(body);
  return readChunks({ provider: format.provider, format }, [Buffer.from(text)]);
}

const toolUse = { type: "tool_use", id: "t1", name: "bash", input: {} };
const deltaOf = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const stop = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason } });

test("R2.8 a call whose block or item never ended does not run", async () => {
  const claude = await read("anthropic", [
    { type: "content_block_start", index: 0, content_block: toolUse },
    deltaOf(0, { type: "input_json_delta", partial_json: '{"a":1}' }),
    stop("tool_use"),
  ]);
  expect(claude.calls).toMatchObject([{ id: "t1", incomplete: true }]);
  const item = { type: "function_call", call_id: "c1", name: "bash", arguments: "" };
  const openai = await read("responses", [
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a":1}' },
    { type: "response.completed", response: { status: "completed", output: [] } },
  ]);
  expect(openai.calls).toMatchObject([{ id: "c1", incomplete: true }]);
});

test("R2.8 an answer in one piece is understood", async () => {
  const usage = { input_tokens: 3, output_tokens: 2 };
  expect(
    await read("anthropic", {
      content: [
        { type: "text", text: "Hi" },
        { ...toolUse, input: { a: 1 } },
      ],
      stop_reason: "tool_use",
      usage,
    }),
  ).toMatchObject({
    text: "Hi",
    calls: [{ id: "t1", name: "bash", arguments: { a: 1 } }],
    finish: { reason: "tool-calls", usage: { ...usage, total_tokens: 5 } },
  });
  const output = [
    { type: "message", content: [{ type: "output_text", text: "Hi" }] },
    { type: "function_call", call_id: "c1", name: "bash", arguments: '{"a":1}' },
  ];
  expect(await read("responses", { status: "completed", output, usage })).toMatchObject({
    text: "Hi",
    calls: [{ id: "c1", arguments: { a: 1 } }],
    finish: { reason: "tool-calls", usage: { ...usage, total_tokens: 5 } },
  });
  const parts = [{ text: "Hi" }, { functionCall: { name: "bash", args: { a: 1 } } }];
  const candidates = [{ content: { parts }, finishReason: "STOP" }];
  expect(await read("google", { candidates })).toMatchObject({ text: "Hi", calls: [{ arguments: { a: 1 } }] });
});

test("R2.8 an unknown reason is an end, kept as it was said; missing and repeated ids are new ones", async () => {
  const said = [{ type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi" } }];
  expect((await read("anthropic", [...said, stop("pause_turn")])).finish).toEqual({
    reason: "other",
    rawReason: "pause_turn",
  });
  const candidates = [{ content: { parts: [{ text: "Hi" }] }, finishReason: "NOVEL" }];
  expect((await read("google", [{ candidates }])).finish).toMatchObject({ reason: "other", rawReason: "NOVEL" });
  const item = { type: "function_call", call_id: "c1", name: "bash", arguments: "{}" };
  const { calls } = await read("responses", [
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.output_item.done", output_index: 1, item },
    { type: "response.completed", response: { status: "completed" } },
  ]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
});

test("R2.8 no tool runs from an answer that was filtered or failed", async () => {
  const part = { functionCall: { name: "bash", args: {} } };
  const filtered = await read("google", [{ candidates: [{ content: { parts: [part] }, finishReason: "SAFETY" }] }]);
  expect(filtered.calls).toMatchObject([{ incomplete: true }]);
  const failed = await read("responses", [
    { type: "response.output_item.done", output_index: 0, item: { type: "function_call", call_id: "c", name: "bash" } },
    { type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "broke" } } },
  ]);
  expect(failed.calls).toEqual([]);
  expect(failureOf(failed)).toBe("server");
});
