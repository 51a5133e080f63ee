import { describe, expect, test } from "vitest";
import { readAll } from "../../../test/contracts/golden-streams.ts";
import { question } from "../../../test/contracts/model.ts";
import { askPackage, failureOf, says, saysOk } from "../../../test/support/asked-package.ts";
import { callParts, finishPart, packageModel, partLines, textParts } from "../../../test/support/package-model.ts";
import { messageOf, sentencesOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { cleanCut, destroyed, status } from "../../testing/fault-server.ts";
import { guardModel } from "../guard.ts";
import { resolveModel } from "../resolve.ts";
import { toModelError } from "./call-error.ts";
import { providerExports } from "./provider-exports.ts";

const endpoint = { provider: "fake", address: "fake-ai-provider", keyVariable: undefined, key: undefined };

describe("R4.1 models of AI SDK packages: what they answer", () => {
  test("R2.9 usage has our names, in every version of the interface", async () => {
    const { finish } = await askPackage(saysOk);
    const counts = { input_tokens: 10, output_tokens: 3, total_tokens: 13, reasoning_tokens: 1, cached_tokens: 4 };
    expect(finish?.usage).toEqual(counts);
    const usage = { inputTokens: 10, outputTokens: 3, totalTokens: 13, reasoningTokens: 1, cachedInputTokens: 4 };
    const older = says(...textParts("1", "ok"), { type: "finish", finishReason: "stop", usage });
    expect((await askPackage(older, {}, { entry: { options: { version: "v2" } } })).finish?.usage).toEqual(counts);
    const unknown = says(...textParts("1", "ok"), { type: "finish", finishReason: { unified: "stop" }, usage: {} });
    expect((await askPackage(unknown)).finish?.usage).toBeUndefined();
  });

  test("R2.8 no call comes out of a stream that ends without a finish, or with one that nobody announced", async () => {
    const begun = [...textParts("1", "Let me look."), ...callParts("c1", "bash", '{"command":')];
    for (const end of [[], [finishPart("other")], [{ type: "finish", finishReason: "unknown", usage: {} }]]) {
      const { calls, text, error } = await askPackage(cleanCut(partLines(...begun, ...end)));
      expect({ calls, text, failure: failureOf(error) }).toEqual({ calls: [], text: "Let me look.", failure: "cut" });
    }
    const torn = await askPackage(destroyed(partLines(...begun)));
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
    const { calls, finish } = await askPackage(
      says(...callParts("c1", "add", '{"a":1}'), finishPart("other", "FUNCTION_CALL")),
    );
    expect(calls).toMatchObject([{ id: "c1", name: "add", arguments: { a: 1 } }]);
    expect(finish).toMatchObject({ reason: "other", rawReason: "FUNCTION_CALL" });
  });

  test("R2.8 a call that a limit cut off is incomplete; ids that are missing or come twice are replaced", async () => {
    const cut = await askPackage(says(...callParts("c1", "bash", '{"comm'), finishPart("length")));
    expect(cut.calls).toMatchObject([{ name: "bash", incomplete: true }]);
    const twice = await askPackage(
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
    const { calls, text } = await askPackage(
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
    const { error } = await askPackage(says(...textParts("1", "Hel"), part));
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
    const { error } = await askPackage(status(code, body));
    expect([failureOf(error), messageOf(error)]).toEqual([failure, sentence]);
  });

  test("R2.5 a server that is not there, a line that is no JSON, a key that is missing", async () => {
    const model = guardModel(await packageModel("http://127.0.0.1:1/v1"));
    const gone = await readAll(model.stream({ ...question, signal: new AbortController().signal }));
    expect(failureOf(gone.error)).toBe("network");
    expect(messageOf(gone.error)).toMatch(/^http:\/\/127\.0\.0\.1:1\/v1\/stream refuses connections: /);
    const { error } = await askPackage(saysOk, {}, { entry: { api_key: "" } });
    expect([failureOf(error), messageOf(error)]).toEqual([
      "unauthorized",
      "fake cannot be asked: Fake API key is missing. Set BUB_API_KEY, or api_key of its entry in providers.",
    ]);
  });
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
