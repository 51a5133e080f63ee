import { expect, test } from "vitest";
import { createAnthropicModel } from "./anthropic/model.ts";
import { createChatCompletionsModel } from "./chat-completions/model.ts";
import { createGoogleModel } from "./google/model.ts";
import type { Model } from "./model.ts";
import { limitsOf } from "./model-limits.ts";
import { limitsIn } from "./model-list.ts";
import type { HttpRequest, HttpResponse, Transport } from "./transport.ts";

test("R2.6 the context window is read from the lists of OpenRouter, Anthropic, Google and vLLM", () => {
  const openrouter = { id: "a/b", context_length: 200_000, top_provider: { context_length: 128_000 } };
  expect(limitsIn({ data: [{ id: "x", context_length: 1 }, openrouter] }, "a/b")).toEqual({ contextWindow: 128_000 });
  expect(limitsIn({ data: [{ id: "claude", max_input_tokens: 200_000 }] }, "claude")).toEqual({
    contextWindow: 200_000,
  });
  expect(limitsIn({ models: [{ name: "models/gemini", inputTokenLimit: 1_048_576 }] }, "gemini")).toEqual({
    contextWindow: 1_048_576,
  });
  expect(limitsIn({ data: [{ id: "qwen", max_model_len: 32_768 }] }, "qwen")).toEqual({ contextWindow: 32_768 });
});

test("R4.3 the media that a model takes are read from the lists that tell", () => {
  const model = (rest: object) => limitsIn({ data: [{ id: "m", ...rest }] } as never, "m").media;
  expect(model({ architecture: { input_modalities: ["text", "image", "file"] } })).toEqual(["image"]);
  expect(model({ architecture: { input_modalities: ["text"] } })).toEqual([]);
  expect(model({ capabilities: { image_input: { supported: true } } })).toEqual(["image"]);
  expect(model({ capabilities: { image_input: { supported: false } } })).toEqual([]);
  expect(model({})).toBeUndefined();
});

test("a list without the model, or that is no list, says nothing", () => {
  for (const list of [undefined, null, "text", [], {}, { data: "x" }, { data: [null, 1, { id: "other" }] }])
    expect(limitsIn(list, "m")).toEqual({});
  expect(limitsIn({ data: [{ id: "m", context_length: null }] }, "m")).toEqual({});
});

const answering = (answer: (url: string) => Promise<Partial<HttpResponse>>, asked: string[] = []): Transport => ({
  async get({ url }: Omit<HttpRequest, "body">) {
    asked.push(url);
    const body = (async function* () {})();
    return {
      status: 200,
      headers: {},
      body,
      release: () => undefined,
      destroy: () => undefined,
      ...(await answer(url)),
    };
  },
  post: () => Promise.reject(new Error("not asked for")),
  close: () => undefined,
});

const modelAt = (apiBase: string, transport: Transport): Model =>
  createChatCompletionsModel({
    provider: "openrouter",
    modelId: "a/b",
    apiBase,
    key: "k",
    keyVariable: "K",
    headers: {},
    completionArgs: {},
    transport,
  });

const openrouter = "https://openrouter.ai/api/v1";

async function* bytesOf(value: unknown): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = Buffer.from(JSON.stringify(value));
  yield bytes.subarray(0, 5);
  yield bytes.subarray(5);
}

test("R2.6 OpenRouter's list is asked once a model", async () => {
  const asked: string[] = [];
  const list = { data: [{ id: "a/b", context_length: 64_000 }] };
  const model = modelAt(
    openrouter,
    answering(async () => ({ body: bytesOf(list) }), asked),
  );
  expect(await limitsOf(model)).toEqual({ contextWindow: 64_000 });
  expect(await limitsOf(model)).toEqual({ contextWindow: 64_000 });
  expect(asked).toEqual(["https://openrouter.ai/api/v1/models"]);
});

test("R2.6 Anthropic's and Google's lists are asked where they are", async () => {
  const asked: string[] = [];
  const transport = answering(async () => ({}), asked);
  const common = { key: "k", keyVariable: "K", headers: {}, completionArgs: {}, transport, modelId: "m" };
  for (const model of [
    createAnthropicModel({ ...common, provider: "anthropic", apiBase: "https://api.anthropic.com" }),
    createGoogleModel({ ...common, provider: "google", apiBase: "https://generativelanguage.googleapis.com/v1beta" }),
  ])
    expect(await limitsOf(model)).toEqual({});
  expect(asked).toEqual([
    "https://api.anthropic.com/v1/models?limit=1000",
    "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
  ]);
});

test("R2.6 a list that fails says nothing, and a server that is not the provider's own is not asked", async () => {
  const refused = modelAt(
    openrouter,
    answering(async () => ({ status: 500 })),
  );
  expect(await limitsOf(refused)).toEqual({});
  const broken = modelAt(
    openrouter,
    answering(() => Promise.reject(new Error("no network"))),
  );
  expect(await limitsOf(broken)).toEqual({});
  const own = modelAt(
    "http://127.0.0.1:9/v1",
    answering(() => Promise.reject(new Error("not asked for"))),
  );
  expect(own.limits).toBeUndefined();
});
