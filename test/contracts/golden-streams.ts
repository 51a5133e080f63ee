// The recorded shapes of each format's streams, and how to send one through its whole wire.
import { readFileSync } from "node:fs";
import { parseJson } from "../../src/base/json.ts";
import { createAnthropicModel } from "../../src/model/anthropic/model.ts";
import { createChatCompletionsModel } from "../../src/model/chat-completions/model.ts";
import { createGoogleModel } from "../../src/model/google/model.ts";
import { guardModel } from "../../src/model/guard.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { ModelError } from "../../src/model/model-error.ts";
import { createResponsesModel } from "../../src/model/responses/model.ts";
import type { Transport } from "../../src/model/transport.ts";
import type { WireOptions } from "../../src/model/wire.ts";
import { anthropicExpectations } from "./golden-anthropic.ts";
import { chatExpectations } from "./golden-chat.ts";
import type { GoldenExpectation, Reading } from "./golden-expectation.ts";
import { googleExpectations } from "./golden-google.ts";
import { responsesExpectations } from "./golden-responses.ts";

/** A wire format as tests meet it. */
export interface TestedFormat {
  readonly format: "chat-completions" | "anthropic" | "responses" | "google";
  readonly provider: string;
  readonly modelId: string;
  readonly create: (options: WireOptions) => Model;
  readonly expectations: Readonly<Record<string, GoldenExpectation>>;
}

export const testedFormats: readonly TestedFormat[] = [
  {
    format: "chat-completions",
    provider: "openai",
    modelId: "m",
    create: createChatCompletionsModel,
    expectations: chatExpectations,
  },
  {
    format: "anthropic",
    provider: "anthropic",
    modelId: "claude-sonnet-4-5",
    create: createAnthropicModel,
    expectations: anthropicExpectations,
  },
  {
    format: "responses",
    provider: "openai",
    modelId: "gpt-5",
    create: createResponsesModel,
    expectations: responsesExpectations,
  },
  {
    format: "google",
    provider: "google",
    modelId: "gemini-3-pro",
    create: createGoogleModel,
    expectations: googleExpectations,
  },
];

export interface GoldenStream extends GoldenExpectation {
  name: string;
  bytes: Buffer;
  format: TestedFormat;
  provider: string;
}

export const goldenStreams: readonly GoldenStream[] = testedFormats.flatMap((format) =>
  Object.entries(format.expectations).map(([name, golden]) => ({
    provider: format.provider,
    ...golden,
    name,
    format,
    bytes: readFileSync(new URL(`../fixtures/streams/${format.format}/${name}.sse`, import.meta.url)),
  })),
);

const request: ModelRequest = {
  system: "",
  messages: [{ role: "user", content: "go" }],
  tools: [],
  maxTokens: 100,
  loadMedia: async () => "",
  signal: new AbortController().signal,
};

/** Answers with these chunks. */
function transportOf(chunks: readonly Uint8Array[]): Transport {
  async function* body() {
    yield* chunks;
  }
  const headers = { "content-type": "text/event-stream" };
  return {
    get: () => Promise.reject(new Error("no list is asked for")),
    post: async () => ({ status: 200, headers, body: body(), release: () => undefined, destroy: () => undefined }),
    close: () => undefined,
  };
}

/** Sends a stream's bytes, in these chunks, through the whole wire; memory stands for the connection. */
export function readChunks(
  { provider, format }: Pick<GoldenStream, "provider" | "format">,
  chunks: readonly Uint8Array[],
): Promise<Reading> {
  const model = format.create({
    provider,
    modelId: format.modelId,
    apiBase: "http://127.0.0.1/v1",
    key: undefined,
    keyVariable: undefined,
    headers: {},
    completionArgs: {},
    transport: transportOf(chunks),
  });
  return readAll(guardModel(model).stream(request));
}

/** Reads a stream of events to its end or its failure. */
export async function readAll(stream: AsyncIterable<ModelEvent>): Promise<Reading> {
  const reading: Reading = { text: "", reasoning: "", calls: [] };
  try {
    for await (const event of stream) {
      if (event.type === "text-delta") reading.text += event.delta;
      else if (event.type === "reasoning-delta") reading.reasoning += event.delta;
      else if (event.type === "tool-call") reading.calls.push(readCall(event));
      else if (event.type === "finish") reading.finish = withoutType(event);
    }
  } catch (error) {
    reading.error = error;
  }
  return reading;
}

/** The failure of a reading that ended in one. */
export function failureOf({ error }: Reading): string | undefined {
  return error instanceof ModelError ? error.facts.failure : undefined;
}

function readCall({
  id,
  name,
  arguments: text,
  incomplete,
}: Extract<ModelEvent, { type: "tool-call" }>): Reading["calls"][number] {
  return { id, name, arguments: incomplete ? text : objectOr(text), ...(incomplete && { incomplete }) };
}

/** What the loop makes of the text: none at all is an empty object, what is none stays as it came. */
function objectOr(text: string): unknown {
  return text === "" ? {} : (parseJson(text) ?? text);
}

function withoutType({ type: _, ...finish }: Extract<ModelEvent, { type: "finish" }>): Reading["finish"] {
  return finish;
}
