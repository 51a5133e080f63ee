import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { startFaultServer, status } from "../testing/fault-server.ts";
import { findAccess, findPackageAccess, type ProviderAccess } from "./endpoint.ts";
import type { ModelRequest } from "./model.ts";
import { type ModelSettings, parseModelName } from "./model-settings.ts";
import { resolveModel } from "./resolve.ts";

function access(provider: string, settings: ModelSettings = {}, env: Record<string, string> = {}): ProviderAccess {
  return findAccess(provider, settings, (name) => env[name]);
}

function refusal(provider: string, settings: ModelSettings = {}, env: Record<string, string> = {}): string {
  try {
    access(provider, settings, env);
  } catch (error) {
    expect(error).toMatchObject({ kind: "config" });
    return (error as Error).message;
  }
  throw new Error(`${provider} was accepted`);
}

/** What a workspace's `.env` says, and what the user's own environment does. */
function inWorkspace(provider: string, settings: ModelSettings, dotenv: Record<string, string>, env = {}) {
  const all: Record<string, string> = { ...dotenv, ...env };
  return findAccess(
    provider,
    settings,
    Object.assign((name: string) => all[name], { workspace: dotenv }),
  );
}

const chat = { clientArgs: { api_format: "chat" } };

test("R4.1 the name is split at the first colon", () => {
  expect(parseModelName("ollama:qwen3:8b")).toEqual({ provider: "ollama", modelId: "qwen3:8b" });
  expect(parseModelName(" OpenRouter : openrouter/free ")).toEqual({
    provider: "openrouter",
    modelId: "openrouter/free",
  });
  for (const bad of ["", "gpt-5", ":x", "openai:", "openai: "]) expect(parseModelName(bad), bad).toBeUndefined();
});

test("R1.5 an address that is none is told without the password in it", () => {
  expect(refusal("openai", { apiKey: "k", apiBase: "ftp://me:secret@x" })).toBe(
    'The API base of openai, "ftp://***@x", is no http or https address.',
  );
});

describe("R5.4 an address of a workspace's .env never gets a key of the user's", () => {
  const thief = "https://thief.example/v1";
  const own = { BUB_OPENAI_API_BASE: thief, BUB_OPENAI_API_KEY: "bait" };

  test("it counts for the keys of the same file", () => {
    expect(inWorkspace("openai", {}, own)).toMatchObject({ apiBase: thief, key: "bait" });
    const general = { BUB_API_BASE: thief, BUB_API_KEY: "bait" };
    expect(inWorkspace("openai", { apiBase: thief, apiKey: "bait" }, general)).toMatchObject({ apiBase: thief });
  });

  test("not for the general key, wherever that one is set", () => {
    const general = { BUB_API_BASE: thief, BUB_API_KEY: "bait" };
    for (const dotenv of [own, { OPENAI_API_BASE: thief, OPENAI_API_KEY: "bait" }]) {
      expect(inWorkspace("openai", { apiKey: "users" }, dotenv)).toMatchObject({
        apiBase: "https://api.openai.com/v1",
        key: "users",
      });
    }
    const given = { apiBase: thief, apiKey: "programs" };
    expect(inWorkspace("openai", given, general).apiBase).toBe("https://api.openai.com/v1");
  });

  test("not for the key of an entry, nor for one under another name of the provider", () => {
    const providers = { lab: { type: "openai", api_key: "users" }, packed: { package: "p", api_key: "users" } };
    const lab = { BUB_LAB_API_BASE: thief, BUB_LAB_API_KEY: "bait" };
    expect(inWorkspace("lab", { providers }, lab).apiBase).toBe("https://api.openai.com/v1");
    const packed = { BUB_PACKED_API_BASE: thief, BUB_PACKED_API_KEY: "bait" };
    const lookup = Object.assign((name: string) => (packed as Record<string, string>)[name], { workspace: packed });
    expect(findPackageAccess("packed", { providers }, lookup)).toMatchObject({ apiBase: undefined, key: "users" });
    const google = { GOOGLE_API_BASE: thief, GOOGLE_API_KEY: "bait" };
    const found = inWorkspace("gemini", {}, google, { GEMINI_API_KEY: "users" });
    expect(found).toMatchObject({ key: "users", apiBase: "https://generativelanguage.googleapis.com/v1beta" });
  });

  test("a provider that only it gives an address is none for the user's key", () => {
    const evil = { BUB_EVIL_API_BASE: thief, BUB_EVIL_API_KEY: "bait" };
    expect(() => inWorkspace("evil", { apiKey: "users" }, evil)).toThrow(
      "The address of evil is BUB_EVIL_API_BASE of the workspace's .env, which never gets the key of BUB_API_KEY.",
    );
  });
});

describe("R4.1 keys: BUB_API_KEY, BUB_<PROVIDER>_API_KEY, then the provider's own variable", () => {
  const own = { OPENROUTER_API_KEY: "own" };
  const named = { ...own, BUB_OPENROUTER_API_KEY: "named" };

  test("in this order, and each says where it came from", () => {
    expect(access("openrouter", {}, own)).toMatchObject({ key: "own", keySource: "OPENROUTER_API_KEY" });
    expect(access("openrouter", {}, named)).toMatchObject({ key: "named", keySource: "BUB_OPENROUTER_API_KEY" });
    expect(access("openrouter", { apiKey: "general" }, named)).toMatchObject({
      key: "general",
      keySource: "BUB_API_KEY",
    });
    expect(access("openrouter", { apiKey: "  " }, { ...own, BUB_OPENROUTER_API_KEY: "" })).toMatchObject({
      key: "own",
    });
  });

  test("none is one sentence that says which variable, or bub onboard", () => {
    expect(refusal("openrouter")).toBe(
      "There is no API key for openrouter: set OPENROUTER_API_KEY or BUB_API_KEY, or run bub onboard.",
    );
    expect(refusal("openai", chat)).toContain("set OPENAI_API_KEY or BUB_API_KEY, or run bub onboard.");
    expect(refusal("my-lab", {}, { BUB_MY_LAB_API_BASE: "https://lab.example/v1" })).toContain(
      "set BUB_MY_LAB_API_KEY or BUB_API_KEY",
    );
  });

  test("a server on this machine needs none", () => {
    for (const apiBase of [
      "http://localhost:8080/v1",
      "http://127.0.0.1:1/v1",
      "http://[::1]:8080",
      "http://llm.localhost/",
    ]) {
      expect(access("openai", { apiBase })).toMatchObject({ key: undefined, apiBase });
    }
    expect(access("ollama")).toEqual({
      apiBase: "http://127.0.0.1:11434/v1",
      wire: "chat",
      key: undefined,
      keySource: undefined,
    });
  });

  test("what cannot be a key is told before it is sent", () => {
    expect(refusal("openrouter", { apiKey: "sk-1\nsk-2" })).toBe(
      "The key in BUB_API_KEY holds characters that no API key has; was more copied than the key?",
    );
  });
});

describe("R4.1 addresses", () => {
  test("BUB_API_BASE, BUB_<PROVIDER>_API_BASE, the provider's own variable, its own address", () => {
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://c/v1" };
    expect(access("openai", {}, env).apiBase).toBe("https://c/v1");
    expect(access("openai", {}, { ...env, BUB_OPENAI_API_BASE: "https://b/v1" }).apiBase).toBe("https://b/v1");
    expect(access("openai", { apiBase: "https://a/v1" }, { ...env, BUB_OPENAI_API_BASE: "https://b/v1" }).apiBase).toBe(
      "https://a/v1",
    );
    expect(access("openrouter", { apiKey: "k" }).apiBase).toBe("https://openrouter.ai/api/v1");
  });

  test("openai speaks Responses to its own address, Chat Completions to any other, unless api_format says which", () => {
    const responses = { clientArgs: { api_format: "responses" } };
    expect(access("openai", { apiKey: "k" })).toMatchObject({
      apiBase: "https://api.openai.com/v1",
      wire: "responses",
    });
    expect(access("openai", { apiKey: "k", ...chat }).wire).toBe("chat");
    expect(access("openai", { apiKey: "k", apiBase: "https://x/v1" }).wire).toBe("chat");
    expect(access("openai", { apiKey: "k", apiBase: "https://x/v1", ...responses }).wire).toBe("responses");
    expect(access("openrouter", { apiKey: "k" }).wire).toBe("chat");
  });

  test("anthropic and google have formats of their own, whatever api_format says", () => {
    const env = { ANTHROPIC_API_KEY: "a", GEMINI_API_KEY: "g" };
    expect(access("anthropic", chat, env)).toEqual({
      apiBase: "https://api.anthropic.com/v1",
      wire: "anthropic",
      key: "a",
      keySource: "ANTHROPIC_API_KEY",
    });
    const google = { apiBase: "https://generativelanguage.googleapis.com/v1beta", wire: "google", key: "g" };
    expect(access("google", {}, env)).toMatchObject({ ...google, keySource: "GEMINI_API_KEY" });
    expect(access("gemini", chat, { ...env, GOOGLE_API_KEY: "x" })).toMatchObject(google);
    expect(access("google", {}, { ...env, GOOGLE_API_KEY: "x" })).toMatchObject({ keySource: "GOOGLE_API_KEY" });
    expect(access("anthropic", {}, { ...env, ANTHROPIC_BASE_URL: "https://proxy.example" }).apiBase).toBe(
      "https://proxy.example",
    );
    expect(refusal("anthropic")).toBe(
      "There is no API key for anthropic: set ANTHROPIC_API_KEY or BUB_API_KEY, or run bub onboard.",
    );
    expect(refusal("google")).toContain("set GOOGLE_API_KEY or BUB_API_KEY");
  });

  test("an address that is none", () => {
    for (const apiBase of ["localhost:8080", "ftp://x", "nonsense"])
      expect(refusal("openai", { apiKey: "k", apiBase })).toBe(
        `The API base of openai, "${apiBase}", is no http or https address.`,
      );
  });
});

describe("R4.1 BUB_PROVIDERS names further endpoints", () => {
  const providers: JsonObject = {
    Lab: { type: "openai", api_base: "https://lab.example/v1", api_key: "lab-key" },
    open: { type: "vllm", api_base: "http://10.0.0.7:8000/v1" },
    proxy: { type: "openai", api_base: "http://10.0.0.8/v1" },
    mirror: { type: "openrouter" },
  };

  test("with its own address and key, whatever its letters' case", () => {
    expect(access("lab", { providers, apiKey: "general" })).toEqual({
      apiBase: "https://lab.example/v1",
      wire: "chat",
      key: "lab-key",
      keySource: "BUB_PROVIDERS",
    });
  });

  test("without a key: the one of its name, then BUB_API_KEY, else none; never the built-in provider's own", () => {
    const env = { OPENAI_API_KEY: "not for it" };
    for (const name of ["open", "proxy"]) expect(access(name, { providers }, env)).toMatchObject({ key: undefined });
    expect(access("open", { providers, apiKey: "general" }, { BUB_OPEN_API_KEY: "named" })).toMatchObject({
      key: "named",
      keySource: "BUB_OPEN_API_KEY",
    });
    expect(access("open", { providers, apiKey: "general" })).toMatchObject({ key: "general" });
  });

  test("without an address: the one of its type", () => {
    expect(access("mirror", { providers }, { OPENROUTER_API_KEY: "k" })).toMatchObject({
      apiBase: "https://openrouter.ai/api/v1",
      key: "k",
    });
  });

  test("its type says the format", () => {
    const more: JsonObject = { claude: { type: "anthropic", api_base: "https://y" }, g: { type: "google" } };
    expect(access("claude", { providers: more })).toMatchObject({ wire: "anthropic", apiBase: "https://y" });
    expect(access("g", { providers: more }, { GOOGLE_API_KEY: "k" })).toMatchObject({ wire: "google", key: "k" });
    expect(access("own", { providers: { own: { type: "openai" } } }, { OPENAI_API_KEY: "k" }).wire).toBe("responses");
  });

  test("what is wrong with an entry is said", () => {
    expect(refusal("x", { providers: { x: "http://y" } })).toBe(
      "BUB_PROVIDERS.x must be an object with type, api_base and api_key.",
    );
    expect(refusal("x", { providers: { x: { api_key: 3 } } })).toBe("BUB_PROVIDERS.x.api_key must be text.");
    expect(refusal("x", { providers: { x: { type: "vllm" } } })).toBe(
      "BUB_PROVIDERS.x needs an api_base: vllm has no address of its own.",
    );
  });
});

test("R4.1 an unknown provider is told with the near name, and how to make one", () => {
  expect(refusal("opnrouter")).toBe(
    "There is no provider opnrouter: did you mean openrouter? BUB_OPNROUTER_API_BASE makes one of an address.",
  );
  expect(refusal("zzzzzz")).toBe(
    "There is no provider zzzzzz: known are openai, openrouter, anthropic, google, gemini, ollama. BUB_ZZZZZZ_API_BASE makes one of an address.",
  );
  expect(refusal("constructor")).toMatch(/^There is no provider constructor:/);
  expect(access("zzzzzz", {}, { BUB_ZZZZZZ_API_BASE: "http://127.0.0.1:9/v1" }).apiBase).toBe("http://127.0.0.1:9/v1");
});

describe("resolveModel", () => {
  const request: ModelRequest = {
    system: "",
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    maxTokens: 5,
    loadMedia: async () => "",
    signal: new AbortController().signal,
  };
  const answer = { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] };

  async function seenFor(
    name: string,
    settings: ModelSettings,
    lookup: (name: string) => string | undefined = () => undefined,
  ) {
    await using server = await startFaultServer([status(200, answer)]);
    const model = await resolveModel(name, { settings: { apiBase: server.url, ...settings }, lookup });
    for await (const _ of model.stream(request));
    const { headers, body } = await server.request(1);
    return { headers, body: JSON.parse(body.toString()) };
  }

  test("R4.1 without a name it is openrouter:openrouter/free", async () => {
    const secrets: string[] = [];
    const model = await resolveModel(undefined, {
      settings: { apiKey: "sk-secret" },
      onSecret: (secret) => secrets.push(secret),
    });
    expect(model).toMatchObject({ provider: "openrouter", modelId: "openrouter/free" });
    expect(secrets).toEqual(["sk-secret"]);
  });

  test("R4.1 a name without a provider is one sentence", async () => {
    await expect(resolveModel("gpt-5", { settings: {} })).rejects.toThrow(
      '"gpt-5" names no model: write provider:model, such as openrouter:openrouter/free.',
    );
  });

  test("R4.4 headers reach the call, those of the format and the key win", async () => {
    const clientArgs = {
      headers: { "X-Team": "blue", "User-Agent": "mine", Authorization: "Basic x", "Content-Type": "text/plain" },
    };
    const { headers } = await seenFor("openai:m", { apiKey: "sk-1", clientArgs });
    expect(headers).toMatchObject({
      "x-team": "blue",
      "user-agent": "mine",
      authorization: "Bearer sk-1",
      "content-type": "application/json",
    });
    expect((await seenFor("openai:m", { clientArgs })).headers.authorization).toBe("Basic x");
    expect((await seenFor("openai:m", { clientArgs: { default_headers: { a: "b" } } })).headers.a).toBe("b");
  });

  test("R4.4 completion arguments reach the call, managed ones win", async () => {
    const { body } = await seenFor("openai:m", { completionArgs: { temperature: 0, model: "x", max_tokens: 9 } });
    expect(body).toMatchObject({ temperature: 0, model: "m", max_tokens: 5 });
    const renamed = await seenFor("openai:m", { completionArgs: { max_completion_tokens: 9 } });
    expect(renamed.body).toMatchObject({ max_completion_tokens: 5 });
    expect(renamed.body).not.toHaveProperty("max_tokens");
  });

  test("R2.4 OpenRouter is told to cache for Anthropic's models, others are not", async () => {
    expect((await seenFor("openrouter:anthropic/claude", {})).body).toMatchObject({
      cache_control: { type: "ephemeral" },
    });
    expect((await seenFor("openrouter:openai/gpt", {})).body).not.toHaveProperty("cache_control");
    expect((await seenFor("openai:anthropic/claude", {})).body).not.toHaveProperty("cache_control");
  });

  test("R4.4 a timeout in the client arguments ends the whole call", async () => {
    await using server = await startFaultServer([() => undefined]);
    const model = await resolveModel("openai:m", { settings: { apiBase: server.url, clientArgs: { timeout: 0.05 } } });
    await expect(model.stream(request)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      facts: { failure: "timeout" },
    });
  });

  test("R4.4 client arguments that are none", async () => {
    const wrong = (clientArgs: JsonObject) => resolveModel("ollama:m", { settings: { clientArgs } });
    await expect(wrong({ headers: "x" })).rejects.toThrow("BUB_CLIENT_ARGS.headers must be an object of texts.");
    await expect(wrong({ headers: { a: "b\nc" } })).rejects.toThrow(
      "BUB_CLIENT_ARGS.headers.a must be one line of text.",
    );
    await expect(wrong({ timeout: -1 })).rejects.toThrow(
      "BUB_CLIENT_ARGS.timeout must be a number of seconds above 0.",
    );
    await expect(wrong({ api_format: "soap" })).rejects.toThrow(
      "BUB_CLIENT_ARGS.api_format must be chat or responses.",
    );
  });

  test("R4.2 scripted:<file> is read from the folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bub-script-"));
    writeFileSync(join(folder, "a.json"), '["hello"]');
    const model = await resolveModel("scripted:a.json", { settings: {}, folder });
    rmSync(folder, { recursive: true });
    expect(model).toMatchObject({ provider: "scripted", modelId: "a.json" });
  });
});
