import { describe, expect, test } from "vitest";
import { readAll } from "../../../test/contracts/golden-streams.ts";
import { question } from "../../../test/contracts/model.ts";
import {
  callParts,
  finishPart,
  packageModel,
  partLines,
  reasoningParts,
  textParts,
} from "../../../test/support/package-model.ts";
import { messageOf, sentencesOf } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { type Behaviour, cleanCut, destroyed, events, startFaultServer, status } from "../../testing/fault-server.ts";
import { guardModel } from "../guard.ts";
import type { ModelMessage, ModelRequest } from "../model.ts";
import { isModelError } from "../model-error.ts";
import type { ModelSettings } from "../model-settings.ts";
import { resolveModel } from "../resolve.ts";
import { toModelError } from "./call-error.ts";
import { providerExports } from "./provider-exports.ts";

type Options = { entry?: JsonObject; modelId?: string } & ModelSettings;

/** What the model gives for a stream, and what was asked of the server. */
async function ask(behaviour: Behaviour, request: Partial<ModelRequest> = {}, options: Options = {}) {
  await using server = await startFaultServer([behaviour]);
  const model = guardModel(await packageModel(server.url, options));
  const reading = await readAll(model.stream({ ...question, signal: new AbortController().signal, ...request }));
  const seen = await Promise.race([server.request(1), new Promise<void>((none) => setImmediate(none))]);
  const body = parseJson(seen?.body.toString() ?? "");
  return { ...reading, sent: isJsonObject(body) ? body : {}, headers: seen?.headers ?? {} };
}

const endpoint = { provider: "fake", address: "fake-ai-provider", keyVariable: undefined, key: undefined };
const says = (...parts: readonly object[]) => events(partLines(...parts));
const done = says(...textParts("1", "ok"), finishPart("stop"));
const failureOf = (error: unknown) => (isModelError(error) ? error.facts.failure : error);

describe("R4.1 models of AI SDK packages: what they answer", () => {
  test("R2.9 usage has our names, in every version of the interface", async () => {
    const { finish } = await ask(done);
    const counts = { input_tokens: 10, output_tokens: 3, total_tokens: 13, reasoning_tokens: 1, cached_tokens: 4 };
    expect(finish?.usage).toEqual(counts);
    const usage = { inputTokens: 10, outputTokens: 3, totalTokens: 13, reasoningTokens: 1, cachedInputTokens: 4 };
    const older = says(...textParts("1", "ok"), { type: "finish", finishReason: "stop", usage });
    expect((await ask(older, {}, { entry: { options: { version: "v2" } } })).finish?.usage).toEqual(counts);
    const unknown = says(...textParts("1", "ok"), { type: "finish", finishReason: { unified: "stop" }, usage: {} });
    expect((await ask(unknown)).finish?.usage).toBeUndefined();
  });

  test("R2.8 no call comes out of a stream that ends without a finish, or with one that nobody announced", async () => {
    const begun = [...textParts("1", "Let me look."), ...callParts("c1", "bash", '{"command":')];
    for (const end of [[], [finishPart("other")], [{ type: "finish", finishReason: "unknown", usage: {} }]]) {
      const { calls, text, error } = await ask(cleanCut(partLines(...begun, ...end)));
      expect({ calls, text, failure: failureOf(error) }).toEqual({ calls: [], text: "Let me look.", failure: "cut" });
    }
    const torn = await ask(destroyed(partLines(...begun)));
    expect({ calls: torn.calls, failure: failureOf(torn.error) }).toEqual({ calls: [], failure: "cut" });
  });

  test("R2.8 adapters wrap a torn connection in an error of a good answer, and tell a missing end in words: both are cuts", async () => {
    const torn = Object.assign(new Error("Failed to process successful response"), {
      name: "AI_APICallError",
      statusCode: 200,
      cause: Object.assign(new Error("aborted"), { code: "ECONNRESET" }),
    });
    const facts = { endpoint, sentMedia: false, isAnswering: true };
    expect(failureOf(toModelError(torn, facts))).toBe("cut");
    expect(failureOf(toModelError(new Error("Response stream ended without a finish reason."), facts))).toBe("cut");
    const odd = Object.assign(new Error("Invalid JSON"), { name: "AI_JSONParseError" });
    expect(failureOf(toModelError(odd, facts))).toBe("malformed");
    const round = new Error("round");
    round.cause = round;
    expect(failureOf(toModelError(round, facts))).toBe("rejected");
    expect(messageOf(toModelError(undefined, facts))).toBe("fake failed: undefined");
  });

  test("R2.8 a provider's own word for the end is an end", async () => {
    const { calls, finish } = await ask(
      says(...callParts("c1", "add", '{"a":1}'), finishPart("other", "FUNCTION_CALL")),
    );
    expect(calls).toMatchObject([{ id: "c1", name: "add", arguments: { a: 1 } }]);
    expect(finish).toMatchObject({ reason: "other", rawReason: "FUNCTION_CALL" });
  });

  test("R2.8 a call that a limit cut off is incomplete; ids that are missing or come twice are replaced", async () => {
    const cut = await ask(says(...callParts("c1", "bash", '{"comm'), finishPart("length")));
    expect(cut.calls).toMatchObject([{ name: "bash", incomplete: true }]);
    const twice = await ask(
      says(
        ...callParts("c", "add", "{}"),
        ...callParts("c", "add", "{}"),
        ...callParts("", "add", "{}"),
        finishPart("stop"),
      ),
    );
    expect(new Set(twice.calls.map(({ id }) => id)).size).toBe(3);
    expect(twice.finish?.reason).toBe("tool-calls");
  });

  test("R2.8 what the provider ran by itself, files and sources are none of our calls", async () => {
    const call = { type: "tool-call", toolCallId: "p", toolName: "search", input: "{}", providerExecuted: true };
    const { calls, text } = await ask(
      says(
        call,
        { type: "tool-result", toolCallId: "p", result: {} },
        { type: "source" },
        ...textParts("1", "ok"),
        finishPart("stop"),
      ),
    );
    expect({ calls, text }).toEqual({ calls: [], text: "ok" });
  });

  test.each([
    [
      "an answer of the API",
      { type: "error", error: { message: "overloaded", type: "server_error" } },
      "server",
      "fake failed to answer: overloaded.",
    ],
    ["words", { type: "error", error: "out of memory" }, "server", "fake failed to answer: out of memory."],
    ["a finish", { type: "finish", finishReason: { unified: "error" }, usage: {} }, "server", "fake failed to answer."],
  ])("R2.8 an error inside the stream, told by %s, is a failure", async (_what, part, failure, sentence) => {
    const { error } = await ask(says(...textParts("1", "Hel"), part));
    expect([failureOf(error), messageOf(error)]).toEqual([failure, sentence]);
  });

  test.each([
    [
      401,
      { error: { message: "bad key" } },
      "unauthorized",
      "fake refused the key from BUB_PROVIDERS (401): bad key: check it, or run bub onboard.",
    ],
    [
      400,
      { error: { code: "context_length_exceeded", message: "too long" } },
      "overflow",
      "The conversation is too long for the model of fake (400): too long.",
    ],
    [302, {}, "rejected", "fake refused the request (302): it is moved to another address; set that as api_base."],
    [503, "", "server", "fake failed to answer (503): failed."],
  ])("R2.5 the status %i is judged as from every provider", async (code, body, failure, sentence) => {
    const { error } = await ask(status(code, body));
    expect([failureOf(error), messageOf(error)]).toEqual([failure, sentence]);
  });

  test("R2.5 a server that is not there, a line that is no JSON, a key that is missing", async () => {
    const model = guardModel(await packageModel("http://127.0.0.1:1/v1"));
    const gone = await readAll(model.stream({ ...question, signal: new AbortController().signal }));
    expect(failureOf(gone.error)).toBe("network");
    expect(messageOf(gone.error)).toMatch(/^http:\/\/127\.0\.0\.1:1\/v1\/stream refuses connections: /);
    const { error } = await ask(done, {}, { entry: { api_key: "" } });
    expect([failureOf(error), messageOf(error)]).toEqual([
      "unauthorized",
      "fake cannot be asked: Fake API key is missing. Set BUB_API_KEY, or api_key of its entry in providers.",
    ]);
  });
});

describe("R4.3 models of AI SDK packages: what they are asked", () => {
  const promptOf = async (messages: readonly ModelMessage[], request: Partial<ModelRequest> = {}, options?: Options) =>
    (await ask(done, { messages, system: "", ...request }, options)).sent.prompt;
  const image = { type: "image", media_type: "image/png", data: "aGk=", bytes: 2 } as const;

  test("the call has tools, the limit, headers and settings; what is managed wins", async () => {
    const { sent, headers } = await ask(
      done,
      { reasoningEffort: "high" },
      {
        clientArgs: { headers: { "X-Own": "1" } },
        completionArgs: { temperature: 0.5, top_p: 1, stop: "END", safe_prompt: true, maxOutputTokens: 5 },
      },
    );
    expect(sent).toMatchObject({
      modelId: "m",
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 1,
      stopSequences: ["END"],
      toolChoice: { type: "auto" },
      providerOptions: { fake: { safe_prompt: true, reasoningEffort: "high" } },
    });
    expect(sent.tools).toMatchObject([
      { type: "function", name: "add", description: "Adds.", inputSchema: { type: "object" } },
      { type: "function", name: "bash" },
    ]);
    expect(sent.prompt).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "go" }] },
    ]);
    expect(headers).toMatchObject({ authorization: "Bearer sk-fake", "x-own": "1" });
    const newest = await ask(done, { reasoningEffort: "high" }, { entry: { options: { version: "v4" } } });
    expect(newest.sent).toMatchObject({ reasoning: "high" });
    expect(newest.sent.providerOptions).toBeUndefined();
  });

  test("reasoning and what the provider sealed go back to the model that made them, in their order, and to no other", async () => {
    const sealed = { fake: { signature: "s1" } };
    const { finish, text, reasoning, calls } = await ask(
      says(
        ...reasoningParts("r", "Hm.", sealed),
        ...textParts("1", "Let me ", "look."),
        ...callParts("c1", "bash", '{"command":"ls"}', { fake: { thought: "t1" } }),
        finishPart("tool-calls"),
      ),
    );
    const answer: ModelMessage = {
      role: "assistant",
      content: text,
      reasoning,
      providerData: finish?.providerData ?? null,
      calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args as JsonObject })),
    };
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      answer,
      { role: "tool", callId: "c1", name: "bash", content: "a.txt", isError: false },
      { role: "tool", callId: "c2", name: "bash", content: " ", isError: true },
    ];
    expect(await promptOf(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: sealed },
          { type: "text", text: "Let me look." },
          {
            type: "tool-call",
            toolCallId: "c1",
            toolName: "bash",
            input: { command: "ls" },
            providerOptions: { fake: { thought: "t1" } },
          },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "bash", output: { type: "text", value: "a.txt" } },
          { type: "tool-result", toolCallId: "c2", toolName: "bash", output: { type: "error-text", value: "(empty)" } },
        ],
      },
    ]);
    const elsewhere = await promptOf(messages, {}, { entry: { package: "other-ai-provider" } });
    expect(JSON.stringify(elsewhere)).not.toContain("s1");
    expect(JSON.stringify(elsewhere)).toContain("Let me look.");
  });

  test("images go where every provider takes them: those of results into a message behind all results", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: [{ type: "text", text: "this" }, { ...image, data: undefined, sha256: "x" } as never] },
      { role: "assistant", calls: [1, 2].map((n) => ({ id: `c${n}`, name: "fs_read", arguments: {} })) },
      { role: "tool", callId: "c1", name: "fs_read", content: [image], isError: false },
      { role: "tool", callId: "c2", name: "fs_read", content: "text", isError: false },
      { role: "user", content: "and?" },
    ];
    const prompt = await promptOf(messages, { loadMedia: async () => "c3RvcmVk" });
    expect(prompt).toMatchObject([
      { role: "user", content: [{ type: "text" }, { type: "file", mediaType: "image/png", data: "c3RvcmVk" }] },
      { role: "assistant" },
      {
        role: "tool",
        content: [
          { output: { type: "text", value: "[image: image/png, 2 bytes] (in the message after the results)" } },
          { output: { type: "text", value: "text" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Media of the result of fs_read (c1):" },
          { type: "file", mediaType: "image/png", data: "aGk=" },
          { type: "text", text: "and?" },
        ],
      },
    ]);
    const [first] = (await promptOf(
      [{ role: "user", content: [image] }],
      {},
      { entry: { options: { version: "v4" } } },
    )) as JsonValue[];
    expect(first).toMatchObject({ content: [{ type: "file", data: { type: "data", data: "aGk=" } }] });
  });

  test("an address goes to a provider that fetches it, and is a note for any other", async () => {
    const at = (url: string) => ({ type: "image", media_type: "image/png", url }) as const;
    const content = [
      at("https://pictures.example/a.png"),
      at("https://elsewhere.example/a.png"),
      at("data:image/png;base64,aGk="),
    ];
    expect(await promptOf([{ role: "user", content }])).toMatchObject([
      {
        content: [
          { type: "file", data: "https://pictures.example/a.png" },
          { type: "text", text: "[image: image/png]" },
          { type: "file", mediaType: "image/png", data: "aGk=" },
        ],
      },
    ]);
  });

  test("a medium that the package refuses is a rejected one, so that a note takes its place", async () => {
    const odd = { type: "audio", media_type: "audio/odd", data: "aGk=" } as const;
    const { error } = await ask(done, { messages: [{ role: "user", content: [odd] }] });
    expect(failureOf(error)).toBe("rejected-image");
  });

  test("ids that come again in a later answer are told apart, each with its result", async () => {
    const step = (said: string): ModelMessage[] => [
      { role: "assistant", calls: [{ id: "c 1", name: "bash", arguments: {} }] },
      { role: "tool", callId: "c 1", name: "bash", content: said, isError: false },
    ];
    const prompt = (await promptOf([{ role: "user", content: "go" }, ...step("one"), ...step("two")])) as JsonObject[];
    const ids = prompt.slice(1).map(({ content }) => ((content as JsonObject[])[0] as JsonObject).toolCallId);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[0]).not.toBe(ids[2]);
  });
});

describe("R4.3 models of AI SDK packages: what providers insist on", () => {
  const messages: ModelMessage[] = [
    { role: "assistant", calls: [{ id: "call_of_another", name: "bash", arguments: {} }] },
    { role: "tool", callId: "call_of_another", name: "bash", content: "a", isError: false },
  ];

  test("a conversation begins with the user, and Mistral's ids have nine letters", async () => {
    const { sent } = await ask(done, { messages, system: "" }, { entry: { options: { name: "mistral" } } });
    const [first, answer, result] = sent.prompt as JsonObject[];
    expect(first).toEqual({ role: "user", content: [{ type: "text", text: "(the conversation goes on)" }] });
    const [call] = (answer?.content ?? []) as JsonObject[];
    expect(call?.toolCallId).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(result?.content).toMatchObject([{ toolCallId: call?.toolCallId }]);
    expect((await ask(done, { messages })).sent.prompt).toMatchObject([
      {},
      {},
      { content: [{ toolCallId: "call_of_another" }] },
      {},
    ]);
  });
});

test("R2.4 each request's elements begin the next one's, and a medium is loaded once", async () => {
  const stored = (sha256: string) => ({ type: "image", media_type: "image/png", sha256 }) as const;
  const step = (id: string): ModelMessage[] => [
    { role: "assistant", content: "Look.", calls: [{ id, name: "see", arguments: {} }] },
    { role: "tool", callId: id, name: "see", content: [stored(id)], isError: false },
  ];
  const said = (content: string): ModelMessage => ({ role: "user", content });
  const conversation = [
    said("go"),
    ...step("a"),
    ...step("a"),
    { role: "assistant", content: "Done." } as const,
    said("on"),
  ];
  const loaded: string[] = [];
  const loadMedia: ModelRequest["loadMedia"] = async ({ sha256 = "" }) => {
    loaded.push(sha256);
    return "aGk=";
  };
  const ends = [1, 3, 5, 7];
  await using server = await startFaultServer(ends.map(() => done));
  const model = await packageModel(server.url);
  const texts: string[] = [];
  for (const [index, end] of ends.entries()) {
    const messages = conversation.slice(0, end);
    await readAll(model.stream({ ...question, messages, loadMedia, signal: new AbortController().signal }));
    const { prompt } = JSON.parse((await server.request(index + 1)).body.toString());
    texts.push(JSON.stringify(prompt));
  }
  for (const [index, text] of texts.slice(1).entries())
    expect(text.startsWith((texts[index] ?? "").replace(/[\]}]+$/, ""))).toBe(true);
  expect(loaded).toEqual(["a", "a"]);
});

test("R4.3 Mistral's models have an answer between results and the media behind them", async () => {
  const image = { type: "image", media_type: "image/png", data: "aGk=" } as const;
  const messages: ModelMessage[] = [
    { role: "user", content: "go" },
    { role: "assistant", calls: [{ id: "c", name: "see", arguments: {} }] },
    { role: "tool", callId: "c", name: "see", content: [image], isError: false },
  ];
  const rolesWith = async (modelId: string) => {
    const { sent } = await ask(done, { messages, system: "" }, { modelId });
    return (sent.prompt as JsonObject[]).map(({ role }) => role);
  };
  expect(await rolesWith("pixtral-large")).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(await rolesWith("other")).toEqual(["user", "assistant", "tool", "user"]);
});

describe("R4.1 a provider of BUB_PROVIDERS that names a package", () => {
  const resolveWith = (exported: object, entry: JsonObject = {}) =>
    resolveModel("fake:m", {
      settings: { providers: { fake: { package: "fake-ai-provider", ...entry } } },
      importPackage: async () => exported as Record<string, unknown>,
    }).catch(sentencesOf);

  test.each([
    [{}, "The package fake-ai-provider exports no create… function that makes a provider of models."],
    [
      { createFake: () => () => ({ specificationVersion: "v1", doStream: () => undefined }) },
      "The models of fake-ai-provider speak version v1 of the AI SDK's interface; known are v2, v3 and v4. Try another version of the package: bub install fake-ai-provider@<version>.",
    ],
    [
      {
        createFake: () => {
          throw new Error("no region");
        },
      },
      "createFake() of fake-ai-provider makes no model m: no region",
    ],
  ])("that makes no model is one sentence", async (exported, sentence) => {
    expect(await resolveWith(exported)).toBe(sentence);
  });

  test("has its options, and the provider's own variable for its key", async () => {
    let given: object = {};
    const createFake = (settings: object) => {
      given = settings;
      return () => ({ specificationVersion: "v3", provider: "fake", doStream: () => undefined });
    };
    const secrets: string[] = [];
    const model = await resolveModel("fake:m", {
      settings: { providers: { Fake: { package: "fake-ai-provider", options: { region: "eu" } } } },
      lookup: (name) => (name === "FAKE_API_KEY" ? "sk-own" : undefined),
      importPackage: async () => ({ createFake }),
      onSecret: (secret) => secrets.push(secret),
    });
    expect(model).toMatchObject({ provider: "fake", modelId: "m" });
    expect(given).toMatchObject({ name: "fake", apiKey: "sk-own", region: "eu" });
    expect(given).not.toHaveProperty("baseURL");
    expect(secrets).toEqual(["sk-own"]);
    expect(await resolveWith({ createFake }, { options: "eu" })).toBe("BUB_PROVIDERS.fake.options must be an object.");
    expect(await resolveWith({ createFake }, { package: 1 })).toBe("BUB_PROVIDERS.fake.package must be text.");
  });

  test("is made by the export that is named like the package", () => {
    expect(providerExports(["createX", "createMistral", "mistral"], "@ai-sdk/mistral")[0]).toBe("createMistral");
    expect(providerExports(["createJson", "createOpenAICompatible"], "@ai-sdk/openai-compatible")[0]).toBe(
      "createOpenAICompatible",
    );
    expect(providerExports(["create", "created", "creator"], "x")).toEqual([]);
  });
});
