import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import type { ModelMessage, ModelRequest, ModelTool } from "../model.ts";
import { BodyBuilder, type BodyOptions } from "./request.ts";

const tools: readonly ModelTool[] = [
  { name: "fs_read", description: "Read.", parameters: { type: "object", properties: {} } },
];

function requestOf(messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  const signal = new AbortController().signal;
  return {
    system: "be brief",
    messages,
    tools,
    maxTokens: 100,
    loadMedia: async ({ sha256 }) => `bytes-of-${sha256}`,
    signal,
    ...more,
  };
}

function builderWith(options: Partial<BodyOptions> = {}): BodyBuilder {
  return new BodyBuilder({
    provider: "openrouter",
    modelId: "a/b",
    maxTokensName: "max_tokens",
    extra: {},
    ...options,
  });
}

async function textOf(builder: BodyBuilder, request: ModelRequest): Promise<string> {
  return Buffer.concat((await builder.build(request)).chunks).toString("utf8");
}

async function bodyOf(
  messages: readonly ModelMessage[],
  options: Partial<BodyOptions> = {},
  more: Partial<ModelRequest> = {},
): Promise<JsonObject> {
  return JSON.parse(await textOf(builderWith(options), requestOf(messages, more)));
}

const user = (content: string): ModelMessage => ({ role: "user", content });
const asked = (...names: string[]): ModelMessage => ({
  role: "assistant",
  content: "",
  calls: names.map((name, index) => ({ id: `c${index}`, name, arguments: { n: index } })),
});
const result = (index: number, content: ModelMessage["content"] & {} = "ok"): ModelMessage => ({
  role: "tool",
  callId: `c${index}`,
  name: "fs_read",
  content,
  isError: false,
});

test("R4.1 the body: model and settings first, then tools, messages last", async () => {
  const text = await textOf(builderWith(), requestOf([user("hi")], { reasoningEffort: "high" }));
  expect(text).toBe(
    '{"model":"a/b","stream":true,"stream_options":{"include_usage":true},"max_tokens":100,"reasoning_effort":"high",' +
      '"tools":[{"type":"function","function":{"name":"fs_read","description":"Read.","parameters":{"type":"object","properties":{}}}}],' +
      '"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]}',
  );
});

test("no tools and no system prompt leave no trace", async () => {
  const body = await bodyOf([user("hi")], {}, { tools: [], system: "" });
  expect(Object.keys(body)).toEqual(["model", "stream", "stream_options", "max_tokens", "messages"]);
  expect(body.messages).toEqual([{ role: "user", content: "hi" }]);
});

test("R4.4 further arguments are added, managed ones win", async () => {
  const extra = {
    temperature: 0.5,
    model: "other",
    stream: false,
    messages: [],
    tools: [],
    max_tokens: 1,
    reasoning_effort: "low",
    stream_options: {},
  };
  const body = await bodyOf([user("hi")], { extra }, { reasoningEffort: "high" });
  expect(body).toMatchObject({
    temperature: 0.5,
    model: "a/b",
    stream: true,
    max_tokens: 100,
    reasoning_effort: "high",
  });
  expect(body).toMatchObject({
    stream_options: { include_usage: true },
    messages: [{ role: "system" }, { role: "user" }],
    tools: [{ type: "function" }],
  });
  expect(await bodyOf([user("hi")], { extra })).toMatchObject({ reasoning_effort: "low" });
  expect(await bodyOf([user("hi")], { extra, maxTokensName: "max_completion_tokens" })).toMatchObject({
    max_completion_tokens: 100,
  });
});

describe("messages", () => {
  test("calls and results", async () => {
    const { messages } = await bodyOf([
      user("go"),
      asked("fs_read", "bash"),
      result(0),
      result(1, "[tool] failed"),
      { role: "assistant", content: "done" },
    ]);
    expect(messages).toEqual([
      { role: "system", content: "be brief" },
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c0", type: "function", function: { name: "fs_read", arguments: '{"n":0}' } },
          { id: "c1", type: "function", function: { name: "bash", arguments: '{"n":1}' } },
        ],
      },
      { role: "tool", tool_call_id: "c0", content: "ok" },
      { role: "tool", tool_call_id: "c1", content: "[tool] failed" },
      { role: "assistant", content: "done" },
    ]);
  });

  test("an answer without text or calls is still a message", async () => {
    expect((await bodyOf([{ role: "assistant" }])).messages).toContainEqual({ role: "assistant", content: "" });
  });

  test("text parts become one text", async () => {
    const content = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ] as const;
    expect((await bodyOf([{ role: "user", content }, result(0, content)])).messages).toMatchObject([
      {},
      { content: "a\nb" },
      { content: "a\nb" },
    ]);
  });

  test("halves of surrogate pairs become U+FFFD, whole ones and written escapes stay", async () => {
    const { messages } = await bodyOf([user("a\ud800b 😀 \\ud800")]);
    expect(messages).toMatchObject([{}, { content: "a\uFFFDb 😀 \\ud800" }]);
  });
});

describe("R4.3 reasoning goes back to the provider that made it, to no other", () => {
  const answer = (providerData: JsonObject): ModelMessage => ({
    role: "assistant",
    content: "x",
    reasoning: "thoughts",
    providerData,
  });
  const details = [{ type: "reasoning.text", text: "thoughts", signature: "s", index: 0 }];

  test("in the field that it came in", async () => {
    const sent = (await bodyOf([answer({ provider: "openrouter", model: "a/b", field: "reasoning_content" })]))
      .messages;
    expect(sent).toMatchObject([{}, { role: "assistant", content: "x", reasoning_content: "thoughts" }]);
  });

  test("as signed blocks, unchanged, when there are some", async () => {
    const { messages } = await bodyOf([answer({ provider: "openrouter", model: "a/b", field: "reasoning", details })]);
    expect(messages).toEqual([expect.anything(), { role: "assistant", content: "x", reasoning_details: details }]);
  });

  test("not to another provider or model, and not without that data", async () => {
    const kept = { field: "reasoning", details };
    const others = [
      { provider: "other", model: "a/b", ...kept },
      { provider: "openrouter", model: "c/d", ...kept },
    ];
    for (const data of [...others, { signature: "x" }]) {
      expect((await bodyOf([answer(data)])).messages).toEqual([expect.anything(), { role: "assistant", content: "x" }]);
    }
  });
});

test("R4.3 DeepSeek, which refuses answers that do not say what was thought, is told that it was nothing", async () => {
  const messages = [user("go"), asked("fs_read"), result(0)];
  const body = await bodyOf(messages, { provider: "deepseek", wantsReasoning: true });
  expect(body.messages).toMatchObject([{}, {}, { role: "assistant", reasoning_content: "" }, {}]);
  expect(JSON.stringify(await bodyOf(messages, { provider: "deepseek" }))).not.toContain("reasoning_content");
  const made = { provider: "deepseek", model: "a/b", field: "reasoning_content" };
  const own = { ...asked("fs_read"), reasoning: "Hm.", providerData: made } as ModelMessage;
  const again = await bodyOf([user("go"), own, result(0)], { provider: "deepseek", wantsReasoning: true });
  expect(again.messages).toMatchObject([{}, {}, { reasoning_content: "Hm." }, {}]);
});

test("R4.3 Mistral's models have an answer between results and words of the user, also between blocks", async () => {
  const png = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  const turn = (index: number): ModelMessage[] => [asked("fs_read"), result(0, index % 2 ? [png] : "ok"), user("and?")];
  const messages = [user("go"), ...Array.from({ length: 40 }, (_, index) => turn(index)).flat()];
  const traits = { wantsAnswerAfterResults: true };
  const builder = builderWith(traits);
  for (const part of [messages.slice(0, 3), messages.slice(0, 70), messages]) await textOf(builder, requestOf(part));
  const again = await textOf(builder, requestOf(messages));
  expect(again).toBe(await textOf(builderWith(traits), requestOf(messages)));
  const roles = (JSON.parse(again).messages as { role: string }[]).map(({ role }) => role);
  const even = ["assistant", "tool", "assistant", "user"];
  const odd = ["assistant", "tool", "assistant", "user", "user"];
  expect(roles).toEqual(["system", "user", ...Array.from({ length: 20 }, () => [...even, ...odd]).flat()]);
  expect(again).toContain('{"role":"assistant","content":"(the conversation goes on)"}');
});

test("R4.3 Gemini's signature behind a compatible address goes back on its call", async () => {
  const extra = { google: { thought_signature: "SIG" } };
  const providerData = { provider: "gemini-compatible", model: "a/b", calls: [null, extra] };
  const signed = { ...asked("fs_read", "bash"), providerData } as ModelMessage;
  const messages = [user("go"), signed, result(0), result(1)];
  const body = await bodyOf(messages, { provider: "gemini-compatible" });
  expect(body.messages).toMatchObject([
    {},
    {},
    { tool_calls: [expect.not.objectContaining({ extra_content: extra }), { id: "c1", extra_content: extra }] },
    {},
    {},
  ]);
  expect(JSON.stringify(await bodyOf(messages))).not.toContain("SIG");
});

describe("R4.3 media", () => {
  const png = { type: "image", media_type: "image/png", data: "AAAA", bytes: 3, width: 1, height: 2 } as const;
  const stored = { type: "image", media_type: "image/jpeg", sha256: "abc", bytes: 9000 } as const;
  const text = { type: "text", text: "look" } as const;

  test("a person's images, by value, from the store and by address; audio", async () => {
    const audio = { type: "audio", media_type: "audio/mpeg", data: "BBBB" } as const;
    const far = { type: "image", media_type: "image/png", url: "https://x/y.png" } as const;
    const { messages } = await bodyOf([{ role: "user", content: [text, png, stored, far, audio] }]);
    expect(messages).toMatchObject([
      {},
      {
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "data:image/jpeg;base64,bytes-of-abc" } },
          { type: "image_url", image_url: { url: "https://x/y.png" } },
          { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
        ],
      },
    ]);
  });

  test("what the format has no place for is a note", async () => {
    const video = { type: "video", media_type: "video/mp4", data: "CCCC", bytes: 7 } as const;
    const ogg = { type: "audio", media_type: "audio/ogg", data: "DDDD" } as const;
    const bucket = { type: "image", media_type: "image/png", url: "gs://b/o.png" } as const;
    const builder = builderWith();
    const request = requestOf([{ role: "user", content: [video, ogg, bucket] }, result(0, [text, video])]);
    expect(JSON.parse(await textOf(builder, request)).messages).toMatchObject([
      {},
      {
        content: [
          { text: "[video: video/mp4, 7 bytes]" },
          { text: "[audio: audio/ogg]" },
          { text: "[image: image/png]" },
        ],
      },
      { role: "tool", content: "look\n[video: video/mp4, 7 bytes]" },
    ]);
    expect((await builder.build(request)).hasMedia).toBe(false);
  });

  test("OpenRouter takes videos and more kinds of audio", async () => {
    const video = { type: "video", media_type: "video/mp4", data: "CCCC" } as const;
    const audio = { type: "audio", media_type: "audio/flac", data: "BBBB" } as const;
    const body = await bodyOf([{ role: "user", content: [video, audio] }], { takesAllMedia: true });
    expect(body.messages).toMatchObject([
      {},
      {
        content: [
          { type: "video_url", video_url: { url: "data:video/mp4;base64,CCCC" } },
          { type: "input_audio", input_audio: { data: "BBBB", format: "flac" } },
        ],
      },
    ]);
  });

  test("images in tool results stand in one user message after all results of the step", async () => {
    const messages = [
      user("go"),
      asked("fs_read", "fs_read"),
      result(0, [text, png]),
      result(1, [stored]),
      user("and?"),
    ];
    const body = await bodyOf(messages);
    expect(body.messages).toMatchObject([
      { role: "system" },
      { role: "user" },
      { role: "assistant" },
      {
        role: "tool",
        tool_call_id: "c0",
        content: "look\n[image: image/png, 1x2, 3 bytes] (in the message after the results)",
      },
      {
        role: "tool",
        tool_call_id: "c1",
        content: "[image: image/jpeg, 9000 bytes] (in the message after the results)",
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Media of the result of fs_read (c0):" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "text", text: "Media of the result of fs_read (c1):" },
          { type: "image_url", image_url: { url: "data:image/jpeg;base64,bytes-of-abc" } },
        ],
      },
      { role: "user", content: "and?" },
    ]);
    expect((await builderWith().build(requestOf(messages))).hasMedia).toBe(true);
    expect((await builderWith().build(requestOf([user("x")]))).hasMedia).toBe(false);
  });
});

describe("R2.4 requests extend one another", () => {
  const png = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  const content = fc.oneof(fc.string({ unit: "grapheme" }), fc.constant([{ type: "text", text: "t" }, png] as const));
  const step = fc
    .tuple(fc.array(content, { minLength: 1, maxLength: 3 }), fc.string({ unit: "grapheme" }))
    .map(([results, said]): ModelMessage[] => [
      {
        role: "assistant",
        content: said,
        calls: results.map((_, index) => ({ id: `c${index}`, name: "fs_read", arguments: { said } })),
      },
      ...results.map((value, index) => result(index, value)),
    ]);
  const turn = fc
    .tuple(content, fc.array(step, { maxLength: 4 }))
    .map(([prompt, steps]): ModelMessage[][] => [[{ role: "user", content: prompt }], ...steps]);

  /** The elements of `messages`, without the closing brackets. */
  const elements = (text: string): string => text.slice(text.indexOf('"messages":['), -2);

  test("byte for byte, over steps and turns, and a new process sends the same", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 3 }), async (turns) => {
        const builder = builderWith();
        const messages: ModelMessage[] = [];
        let before = "";
        for (const part of turns.flat()) {
          messages.push(...part);
          const text = await textOf(builder, requestOf(messages));
          expect(elements(text).startsWith(elements(before))).toBe(true);
          expect(await textOf(builderWith(), requestOf(structuredClone(messages)))).toBe(text);
          before = text;
        }
      }),
      { numRuns: 50 },
    );
  });

  test("each message and each list of tools is serialised once", async () => {
    let reads = 0;
    const counted = { role: "user", content: [{ type: "image", media_type: "image/png", sha256: "x" }] } as const;
    const loadMedia = async () => {
      reads++;
      return "AAAA";
    };
    const builder = builderWith();
    const first = await builder.build(requestOf([counted], { loadMedia }));
    const second = await builder.build(requestOf([counted, user("more")], { loadMedia }));
    expect(reads).toBe(1);
    // The very same bytes, not equal ones.
    const shared = first.chunks.filter((chunk) => second.chunks.includes(chunk));
    expect(shared.some((chunk) => Buffer.from(chunk).includes("image_url"))).toBe(true);
    expect(shared.some((chunk) => Buffer.from(chunk).includes("fs_read"))).toBe(true);
  });
});
