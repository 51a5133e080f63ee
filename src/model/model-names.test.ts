import { afterAll, expect, test } from "vitest";
import { startFaultServer, status } from "../testing/fault-server.ts";
import { listModelNames, type ModelNamesOptions } from "./model-names.ts";
import { createTransport, type HttpRequest, type Transport } from "./transport.ts";

const real = createTransport();
afterAll(() => real.close());

const lists: Readonly<Record<string, object>> = {
  "api.openai.com": { data: [{ id: "gpt-5" }, { id: "gpt-5-mini" }] },
  "api.anthropic.com": { data: [{ id: "claude-sonnet-4-5", display_name: "Claude" }] },
  "generativelanguage.googleapis.com": {
    models: [
      { name: "models/gemini-3-pro", supportedGenerationMethods: ["generateContent"] },
      { name: "models/embedding-1", supportedGenerationMethods: ["embedContent"] },
    ],
  },
};

/** Answers like the providers, and keeps what it was asked. */
function providers() {
  const asked: Omit<HttpRequest, "body">[] = [];
  const transport = {
    async get(request: Omit<HttpRequest, "body">) {
      asked.push(request);
      const list = lists[new URL(request.url).hostname];
      if (list === undefined) throw new Error("refused");
      const body = (async function* () {
        yield Buffer.from(JSON.stringify(list));
      })();
      return { status: 200, headers: {}, body, release: () => undefined, destroy: () => undefined };
    },
    post: () => Promise.reject(new Error("not asked")),
    close: () => undefined,
  } satisfies Transport;
  return { asked, transport };
}

function names(
  env: Record<string, string>,
  transport: Transport,
  settings: ModelNamesOptions["settings"] = {},
): Promise<readonly string[]> {
  return listModelNames({ settings, lookup: (name) => env[name], transport, signal: new AbortController().signal });
}

test("R1.4 the models of each provider that has a key of its own, by the provider's own request", async () => {
  const { asked, transport } = providers();
  const env = {
    OPENAI_API_KEY: "o",
    ANTHROPIC_API_KEY: "a",
    GEMINI_API_KEY: "g",
    BUB_OLLAMA_API_BASE: "http://127.0.0.1:9/v1",
  };
  expect(await names(env, transport)).toEqual([
    "openai:gpt-5",
    "openai:gpt-5-mini",
    "anthropic:claude-sonnet-4-5",
    "google:gemini-3-pro",
  ]);
  expect(asked.map(({ url }) => url)).toEqual([
    "https://api.openai.com/v1/models",
    "https://api.anthropic.com/v1/models?limit=1000",
    "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
    "http://127.0.0.1:9/v1/models",
  ]);
  expect(
    asked.map(({ headers }) => headers.authorization ?? headers["x-api-key"] ?? headers["x-goog-api-key"]),
  ).toEqual(["Bearer o", "a", "g", undefined]);
});

test("the general key and address are for the provider of the configured model, for no other", async () => {
  const { asked, transport } = providers();
  await names({}, transport, { apiKey: "general", model: "anthropic:claude" });
  expect(asked.filter(({ headers }) => JSON.stringify(headers).includes("general"))).toHaveLength(1);
  expect(asked[0]?.url).toContain("api.anthropic.com");
  asked.length = 0;
  await names({ OPENAI_API_KEY: "o" }, transport, { apiBase: "https://other.example/v1", model: "lab:x" });
  expect(asked).toEqual([]);
});

test("a list over a real connection; one that fails adds nothing", async () => {
  await using server = await startFaultServer([status(200, { data: [{ id: "qwen3" }] }), status(500, "no")]);
  const settings = { apiBase: server.url, model: "openai:x" };
  expect(await names({}, real, settings)).toContain("openai:qwen3");
  expect(await names({}, real, settings)).not.toContain("openai:qwen3");
  expect(server.requests[0]).toMatchObject({ method: "GET", path: "/v1/models" });
});
