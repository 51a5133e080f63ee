import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { ModelMessage } from "../model.ts";
import type { Transport } from "../transport.ts";
import { createChatCompletionsModel } from "./model.ts";

/** The body of the request that goes to this address. */
async function bodyAt(apiBase: string, messages: readonly ModelMessage[], modelId = "m"): Promise<JsonObject> {
  let sent: unknown;
  const transport: Transport = {
    async post({ body }) {
      sent = parseJson(Buffer.concat(body).toString("utf8"));
      throw new Error("not asked");
    },
    get: () => Promise.reject(new Error("not asked")),
    close: () => undefined,
  };
  const place = { provider: "p", modelId, apiBase, key: undefined, keyVariable: undefined, headers: {} };
  const model = createChatCompletionsModel({ ...place, completionArgs: {}, transport });
  const rest = { system: "", tools: [], maxTokens: 9, loadMedia: async () => "", signal: new AbortController().signal };
  await expect(
    model
      .stream({ ...rest, messages })
      [Symbol.asyncIterator]()
      .next(),
  ).rejects.toThrow("not asked");
  return isJsonObject(sent) ? sent : {};
}

const conversation = (...ids: readonly string[]): ModelMessage[] => [
  { role: "user", content: "go" },
  { role: "assistant", calls: ids.map((id) => ({ id, name: "bash", arguments: {} })) },
  ...ids.map((callId): ModelMessage => ({ role: "tool", callId, name: "bash", content: "ok", isError: false })),
];

async function idsAt(apiBase: string, ...ids: readonly string[]): Promise<string[]> {
  const { messages } = await bodyAt(apiBase, conversation(...ids));
  const [, answer, ...results] = (Array.isArray(messages) ? messages : []).filter(isJsonObject);
  const calls = (Array.isArray(answer?.tool_calls) ? answer.tool_calls : []).filter(isJsonObject);
  expect(results.map(({ tool_call_id: id }) => id)).toEqual(calls.map(({ id }) => id));
  return calls.map(({ id }) => String(id));
}

const long = `chatcmpl-tool-${"a".repeat(32)}`;

test("R4.3 ids of other servers' calls are such as this one takes", async () => {
  for (const base of [
    "https://api.openai.com/v1",
    "https://openrouter.ai/api/v1",
    "https://x.openai.azure.com/openai/v1",
  ]) {
    const [short, cut] = await idsAt(base, "functions.add:0", long);
    expect(short).toBe("functions.add:0");
    expect(cut).toMatch(/^chatcmpl-tool-[a-z0-9_]{26}$/);
  }
  const nine = await idsAt("https://api.mistral.ai/v1", "D681PevKs", "call_1", "call_2", long);
  expect(nine[0]).toBe("D681PevKs");
  expect(nine.every((id) => /^[A-Za-z0-9]{9}$/.test(id))).toBe(true);
  expect(new Set(nine).size).toBe(4);
  expect(await idsAt("http://127.0.0.1:8000/v1", long)).toEqual([long]);
});

test("R4.3 what a server is told otherwise follows from its address, or from the model's name", async () => {
  const spoken: ModelMessage[] = [...conversation("a"), { role: "user", content: "and?" }];
  for (const name of ["mistralai/devstral-small", "mistral-large-latest", "open-mixtral-8x22b"])
    expect(JSON.stringify(await bodyAt("http://127.0.0.1/v1", spoken, name))).toContain("(the conversation goes on)");
  expect(JSON.stringify(await bodyAt("http://127.0.0.1/v1", spoken))).not.toContain("(the conversation goes on)");
  const video = { type: "video", media_type: "video/mp4", data: "AAAA" } as const;
  const films: ModelMessage[] = [{ role: "user", content: [video] }];
  expect(JSON.stringify(await bodyAt("https://openrouter.ai/api/v1", films))).toContain("video_url");
  expect(JSON.stringify(await bodyAt("https://notopenrouter.ai/v1", films))).not.toContain("video_url");
  expect(JSON.stringify(await bodyAt("https://api.deepseek.com", conversation("a")))).toContain(
    '"reasoning_content":""',
  );
  const kimi = await bodyAt("https://openrouter.ai/api/v1", conversation("a"), "moonshotai/kimi-k2-thinking");
  expect(JSON.stringify(kimi)).toContain('"reasoning_content":""');
  const elsewhere = await bodyAt("https://api.groq.com/openai/v1", conversation("a"), "moonshotai/kimi-k2");
  expect(JSON.stringify(elsewhere)).not.toContain("reasoning_content");
  expect(JSON.stringify(await bodyAt("https://api.openai.com/v1", conversation("a")))).not.toContain(
    "reasoning_content",
  );
});
