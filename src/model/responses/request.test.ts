import { describe, expect, test } from "vitest";
import { bodiesOf, user } from "../../../test/support/body-builders.ts";
import { ResponsesBodyBuilder } from "./request.ts";

const maker = { provider: "openai", modelId: "gpt-5", format: "responses" };

const bodyOf = bodiesOf(ResponsesBodyBuilder, maker);

test("R4.1 the whole body: nothing is stored, reasoning comes back sealed", async () => {
  const body = await bodyOf(
    [
      user("go"),
      { role: "assistant", content: "Looking.", calls: [{ id: "c1", name: "fs_read", arguments: { n: 1 } }] },
      { role: "tool", callId: "c1", name: "fs_read", content: "ok", isError: false },
    ],
    { reasoningEffort: "high" },
  );
  expect(body).toEqual({
    model: "gpt-5",
    stream: true,
    store: false,
    max_output_tokens: 100,
    reasoning: { summary: "auto", effort: "high" },
    include: ["reasoning.encrypted_content"],
    instructions: "be brief",
    tools: [
      {
        type: "function",
        name: "fs_read",
        description: "Read.",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
    ],
    input: [
      { role: "user", content: "go" },
      { role: "assistant", content: "Looking." },
      { type: "function_call", call_id: "c1", name: "fs_read", arguments: '{"n":1}' },
      { type: "function_call_output", call_id: "c1", output: "ok" },
    ],
  });
});

test("models that do not reason are not asked for it", async () => {
  for (const modelId of ["gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest", "chatgpt-4o-latest"]) {
    expect(await bodyOf([user("hi")], { modelId })).not.toHaveProperty("reasoning");
    expect(await bodyOf([user("hi")], { modelId })).not.toHaveProperty("include");
  }
});

test("R4.1 the limit of tokens is never below the least that the API takes", async () => {
  expect(await bodyOf([user("hi")], { maxTokens: 5 })).toMatchObject({ max_output_tokens: 16 });
});

test("R4.4 further arguments are added, managed ones win; a summary can be refused", async () => {
  const extra = { temperature: 0, model: "x", store: true, max_tokens: 9, input: [], reasoning: { summary: null } };
  const body = await bodyOf([user("hi")], { extra });
  expect(body).toMatchObject({ temperature: 0, model: "gpt-5", store: false, reasoning: { summary: null } });
  expect(body).not.toHaveProperty("max_tokens");
});

describe("R4.3 media", () => {
  const png = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  const stored = { type: "image", media_type: "image/jpeg", sha256: "abc" } as const;
  const audio = { type: "audio", media_type: "audio/mpeg", data: "BBBB" } as const;

  test("images stand in messages and in the outputs of calls; the rest is a note", async () => {
    const image = (image_url: string) => ({ type: "input_image", image_url, detail: "auto" });
    const { input } = await bodyOf([
      { role: "user", content: [{ type: "text", text: "look" }, png, audio] },
      { role: "assistant", calls: [{ id: "c1", name: "fs_read", arguments: {} }] },
      { role: "tool", callId: "c1", name: "fs_read", content: [stored], isError: false },
    ]);
    expect(input).toMatchObject([
      {
        role: "user",
        content: [
          { type: "input_text", text: "look" },
          image("data:image/png;base64,AAAA"),
          { type: "input_text", text: "[audio: audio/mpeg]" },
        ],
      },
      { type: "function_call" },
      { type: "function_call_output", output: [image("data:image/jpeg;base64,bytes-of-abc")] },
    ]);
  });
});
