import { describe, expect, test } from "vitest";
import { bodiesOf, user } from "../../../test/support/body-builders.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ModelMessage } from "../model.ts";
import { MessagesBodyBuilder } from "./request.ts";

const maker = { provider: "anthropic", modelId: "claude-sonnet-4-5", format: "anthropic" };
const mark = { cache_control: { type: "ephemeral" } };

const bodyOf = bodiesOf(MessagesBodyBuilder, maker, { maxTokens: 16_384 });

const asked = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  content: "Both.",
  calls: ids.map((id, n) => ({ id, name: "fs_read", arguments: { n } })),
});
const result = (callId: string, content: ModelMessage["content"] & {} = "ok", isError = false): ModelMessage => ({
  role: "tool",
  callId,
  name: "fs_read",
  content,
  isError,
});

test("R2.4 the whole body, with marks on the system prompt, the newest block and the last request's newest", async () => {
  expect(await bodyOf([user("go"), asked("a", "b"), result("a"), result("b", "no", true), user("and?")])).toEqual({
    model: "claude-sonnet-4-5",
    stream: true,
    max_tokens: 16_384,
    tools: [{ name: "fs_read", description: "Read.", input_schema: { type: "object", properties: {} } }],
    system: [{ type: "text", text: "be brief", ...mark }],
    messages: [
      { role: "user", content: [{ type: "text", text: "go", ...mark }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Both." },
          { type: "tool_use", id: "a", name: "fs_read", input: { n: 0 } },
          { type: "tool_use", id: "b", name: "fs_read", input: { n: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "ok" },
          { type: "tool_result", tool_use_id: "b", content: "no", is_error: true },
          { type: "text", text: "and?", ...mark },
        ],
      },
    ],
  });
});

test("R2.4 without a system prompt the last tool has the mark; there are three marks at most, and four are allowed", async () => {
  const body = await bodyOf([user("a"), asked("1"), result("1"), asked("2"), result("2")], { system: "" });
  expect(body.tools).toMatchObject([{ name: "fs_read", ...mark }]);
  expect(JSON.stringify(body).split("cache_control")).toHaveLength(4);
});

test("R4.4 further arguments are added, managed ones win", async () => {
  const extra = { temperature: 0, model: "x", stream: false, max_tokens: 1, messages: [], system: "x", tools: [] };
  expect(await bodyOf([user("hi")], { extra })).toMatchObject({
    temperature: 0,
    model: "claude-sonnet-4-5",
    stream: true,
    max_tokens: 16_384,
    system: [{ text: "be brief" }],
  });
});

describe("R4.3 media", () => {
  const png = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  const stored = { type: "image", media_type: "image/jpeg", sha256: "abc" } as const;
  const far = { type: "image", media_type: "image/png", url: "https://x/y.png" } as const;
  const inline = { type: "image", media_type: "image/png", url: "data:image/webp;base64,CCCC" } as const;
  const bmp = { type: "image", media_type: "image/bmp", data: "BBBB", bytes: 3 } as const;
  const video = { type: "video", media_type: "video/mp4", data: "DDDD" } as const;

  test("images stand in messages and in results, by value and by address; the rest is a note", async () => {
    const image = (media_type: string, data: string) => ({
      type: "image",
      source: { type: "base64", media_type, data },
    });
    const { messages } = await bodyOf([
      { role: "user", content: [{ type: "text", text: "look" }, png, far, inline, bmp, video] },
      asked("a"),
      result("a", [stored]),
    ]);
    expect(messages).toMatchObject([
      {
        content: [
          { type: "text", text: "look" },
          image("image/png", "AAAA"),
          { type: "image", source: { type: "url", url: "https://x/y.png" } },
          image("image/webp", "CCCC"),
          { type: "text", text: "[image: image/bmp, 3 bytes]" },
          { type: "text", text: "[video: video/mp4]" },
        ],
      },
      {},
      { content: [{ type: "tool_result", content: [image("image/jpeg", "bytes-of-abc")] }] },
    ]);
  });
});

test("R4.3 images of a call that failed come after the results: the API takes text alone in them", async () => {
  const png = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  const broken = result("a", [{ type: "text", text: "no" }, png], true);
  const { messages } = await bodyOf([user("go"), asked("a", "b"), broken, result("b")]);
  expect(messages).toMatchObject([
    {},
    {},
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "a",
          is_error: true,
          content: [
            { type: "text", text: "no" },
            { type: "text", text: "[images: 1, after the results]" },
          ],
        },
        { type: "tool_result", tool_use_id: "b" },
        { type: "text", text: "Images of the result of fs_read (a):" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      ],
    },
  ]);
});

describe("R4.3 a reasoning effort", () => {
  test("is told as such to models from 4.6 on, as a budget to older ones", async () => {
    const of = async (modelId: string, reasoningEffort: string, maxTokens = 16_384) => {
      const { thinking, output_config } = await bodyOf([user("hi")], { modelId, reasoningEffort, maxTokens });
      return { thinking, output_config };
    };
    const adaptive = { type: "adaptive", display: "summarized" };
    for (const modelId of ["claude-opus-4-6", "claude-opus-4.7", "claude-sonnet-5", "claude-next"])
      expect(await of(modelId, "xhigh")).toEqual({ thinking: adaptive, output_config: { effort: "xhigh" } });
    for (const modelId of ["claude-sonnet-4-5-20250929", "claude-opus-4-20250514", "claude-3-7-sonnet-20250219"])
      expect(await of(modelId, "medium")).toEqual({ thinking: { type: "enabled", budget_tokens: 8192 } });
    expect((await of("claude-haiku-4-5", "max")).thinking).toEqual({ type: "enabled", budget_tokens: 15_360 });
    for (const none of [of("claude-haiku-4-5", "high", 2000), of("claude-opus-4-6", "none")])
      expect(await none).toEqual({});
  });

  test("waits for the next turn when another model began this one", async () => {
    const own = { provider: "anthropic", model: "claude-sonnet-4-5", format: "anthropic", outline: [] };
    const turn = (providerData?: JsonObject): ModelMessage[] => [
      user("go"),
      { ...asked("a"), ...(providerData !== undefined && { providerData }) } as ModelMessage,
      result("a"),
    ];
    expect(await bodyOf(turn(), { reasoningEffort: "low" })).not.toHaveProperty("thinking");
    expect(await bodyOf(turn(own), { reasoningEffort: "low" })).toHaveProperty("thinking");
    expect(await bodyOf([...turn(), user("next")], { reasoningEffort: "low" })).toHaveProperty("thinking");
  });
});
