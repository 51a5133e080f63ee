import { describe, expect, test } from "vitest";
import { bodiesOf, user } from "../../../test/support/body-builders.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ModelMessage } from "../model.ts";
import { GeminiBodyBuilder } from "./request.ts";

const maker = { provider: "google", modelId: "gemini-3-pro", format: "google" };

const bodyOf = bodiesOf(GeminiBodyBuilder, maker);

const asked: ModelMessage = { role: "assistant", calls: [{ id: "c1", name: "fs_read", arguments: { n: 1 } }] };
const result = (content: ModelMessage["content"] & {}, isError = false): ModelMessage => ({
  role: "tool",
  callId: "c1",
  name: "fs_read",
  content,
  isError,
});

test("R4.1 the whole body; a call that another model made has the documented mark in the place of a signature", async () => {
  expect(await bodyOf([user("go"), asked, result("ok"), user("and?")])).toEqual({
    generationConfig: { thinkingConfig: { includeThoughts: true }, maxOutputTokens: 100 },
    systemInstruction: { parts: [{ text: "be brief" }] },
    tools: [
      {
        functionDeclarations: [
          { name: "fs_read", description: "Read.", parametersJsonSchema: { type: "object", properties: {} } },
        ],
      },
    ],
    contents: [
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "c1", name: "fs_read", args: { n: 1 } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "fs_read", response: { output: "ok" } } }, { text: "and?" }],
      },
    ],
  });
});

test("R4.3 a call whose own signature was lost has the mark, too", async () => {
  const providerData = {
    provider: "google",
    model: "gemini-3-pro",
    format: "google",
    outline: [{ call: true }, { text: 9 }],
  };
  const lost: ModelMessage = { ...asked, content: "said", providerData };
  const { contents } = await bodyOf([user("go"), lost, result("ok")]);
  expect(contents).toMatchObject([
    {},
    { parts: [{ text: "said" }, { functionCall: {}, thoughtSignature: "skip_thought_signature_validator" }] },
    {},
  ]);
});

test("an error result says so; models before 3 want no signature", async () => {
  const body = await bodyOf([user("go"), asked, result("no", true)], { modelId: "gemini-2.5-flash" });
  expect(JSON.stringify(body)).not.toContain("thoughtSignature");
  expect(body.contents).toMatchObject([{}, {}, { parts: [{ functionResponse: { response: { error: "no" } } }] }]);
});

test("R4.3 an effort is a level from 3 on, a budget in 2.5, and nothing for those that do not think", async () => {
  const of = async (modelId: string, reasoningEffort?: string) => {
    const body = await bodyOf([user("hi")], { modelId, ...(reasoningEffort !== undefined && { reasoningEffort }) });
    return (body.generationConfig as JsonObject).thinkingConfig;
  };
  expect(await of("gemini-3-pro", "xhigh")).toEqual({ includeThoughts: true, thinkingLevel: "high" });
  expect(await of("gemini-2.5-flash", "low")).toEqual({ includeThoughts: true, thinkingBudget: 1024 });
  expect(await of("gemini-2.5-flash", "none")).toEqual({ thinkingBudget: 0 });
  expect(await of("gemini-2.0-flash", "high")).toBeUndefined();
  expect(await of("gemma-3-27b")).toBeUndefined();
});

test("R4.4 settings of the generation go where they belong, managed ones win", async () => {
  const extra = {
    temperature: 0,
    top_p: 0.5,
    generationConfig: { maxOutputTokens: 1, seed: 7 },
    contents: [],
    safetySettings: [{ category: "x" }],
  };
  expect(await bodyOf([user("hi")], { extra })).toMatchObject({
    generationConfig: { temperature: 0, topP: 0.5, seed: 7, maxOutputTokens: 100 },
    contents: [{ parts: [{ text: "hi" }] }],
    safetySettings: [{ category: "x" }],
  });
});

describe("R4.3 media", () => {
  const png = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  const stored = { type: "image", media_type: "image/jpeg", sha256: "abc" } as const;
  const video = { type: "video", media_type: "video/mp4", data: "CCCC" } as const;
  const far = { type: "image", media_type: "image/png", url: "https://x/y.png" } as const;
  const inline = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });

  test("a person's images, audio and video go as they are, addresses as notes", async () => {
    const { contents } = await bodyOf([{ role: "user", content: [png, video, far] }]);
    expect(contents).toMatchObject([
      { parts: [inline("image/png", "AAAA"), inline("video/mp4", "CCCC"), { text: "[image: image/png]" }] },
    ]);
  });

  test("a kind of image that it refuses is a note", async () => {
    const gif = { type: "image", media_type: "image/gif", data: "R0lG" } as const;
    const { contents } = await bodyOf([{ role: "user", content: [gif] }, asked, result([gif])]);
    expect(contents).toMatchObject([
      { parts: [{ text: "[image: image/gif]" }] },
      {},
      { parts: [{ functionResponse: { response: { output: "[image: image/gif]" } } }] },
    ]);
  });

  test("images of results stand in them from 3 on, other media and older models have them after the results", async () => {
    const messages = [user("go"), asked, result([{ type: "text", text: "two" }, stored, video])];
    const [, , newer] = (await bodyOf(messages)).contents as JsonObject[];
    expect(newer?.parts).toEqual([
      {
        functionResponse: {
          id: "c1",
          name: "fs_read",
          response: { output: "two\n[image: image/jpeg]\n[video: video/mp4] (after the results)" },
          parts: [inline("image/jpeg", "bytes-of-abc")],
        },
      },
      { text: "Media of the result of fs_read (c1):" },
      inline("video/mp4", "CCCC"),
    ]);
    const [, , older] = (await bodyOf(messages, { modelId: "gemini-2.5-pro" })).contents as JsonObject[];
    expect(older?.parts).toMatchObject([
      {
        functionResponse: { response: { output: expect.stringContaining("[image: image/jpeg] (after the results)") } },
      },
      { text: "Media of the result of fs_read (c1):" },
      inline("image/jpeg", "bytes-of-abc"),
      inline("video/mp4", "CCCC"),
    ]);
  });
});
