import { expect, test } from "vitest";
import { parseJson } from "../../base/json.ts";
import type { ModelRequest } from "../model.ts";
import type { HttpResponse, Transport } from "../transport.ts";
import { createResponsesModel } from "./model.ts";

const request: ModelRequest = {
  system: "",
  messages: [{ role: "user", content: "go" }],
  tools: [],
  maxTokens: 100,
  reasoningEffort: "high",
  loadMedia: async () => "",
  signal: new AbortController().signal,
};

function answerOf(status: number, type: string, text: string): HttpResponse {
  async function* body() {
    yield Buffer.from(text);
  }
  const headers = { "content-type": type };
  return { status, headers, body: body(), release: () => undefined, destroy: () => undefined };
}

/** Answers with these in turn, and keeps what it was asked. */
function modelOn(answers: readonly (() => HttpResponse)[]) {
  const bodies: unknown[] = [];
  const transport: Transport = {
    async post({ body }) {
      bodies.push(parseJson(Buffer.concat(body).toString("utf8")));
      return (answers[bodies.length - 1] ?? said)();
    },
    get: () => Promise.reject(new Error("no list is asked for")),
    close: () => undefined,
  };
  const place = { apiBase: "http://127.0.0.1/v1", key: undefined, keyVariable: undefined, headers: {} };
  const model = createResponsesModel({ ...place, provider: "openai", modelId: "gpt-5", completionArgs: {}, transport });
  const ask = async () => {
    let text = "";
    for await (const event of model.stream(request)) if (event.type === "text-delta") text += event.delta;
    return text;
  };
  return { bodies, ask };
}

const said = () =>
  answerOf(
    200,
    "text/event-stream",
    `data: {"type":"response.output_text.delta","output_index":0,"delta":"Hi"}\n\ndata: {"type":"response.completed","response":{"status":"completed"}}\n\n`,
  );
const refused = (param: string, message: string) => () =>
  answerOf(400, "application/json", JSON.stringify({ error: { message, type: "invalid_request_error", param } }));
const unverified = refused(
  "reasoning.summary",
  "Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings",
);

test("R4.3 an account that gets no summaries of reasoning is asked without them, from then on", async () => {
  const { bodies, ask } = modelOn([unverified]);
  expect([await ask(), await ask()]).toEqual(["Hi", "Hi"]);
  const reasoning = (summary: string | null) => ({ reasoning: { summary, effort: "high" } });
  expect(bodies).toMatchObject([reasoning("auto"), reasoning(null), reasoning(null)]);
});

test("R4.3 that is tried once, and for no other refusal", async () => {
  const twice = modelOn([unverified, unverified]);
  await expect(twice.ask()).rejects.toMatchObject({ facts: { failure: "rejected", status: 400 } });
  expect(twice.bodies).toHaveLength(2);
  const other = modelOn([refused("model", "no such model")]);
  await expect(other.ask()).rejects.toMatchObject({ facts: { failure: "rejected", status: 400 } });
  expect(other.bodies).toHaveLength(1);
});
