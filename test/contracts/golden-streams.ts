// The recorded shapes of Chat Completions streams, each with what it must be read as.
import { readFileSync } from "node:fs";
import { createChatCompletionsModel } from "../../src/model/chat-completions/model.ts";
import { guardModel } from "../../src/model/guard.ts";
import type { ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { ModelError } from "../../src/model/model-error.ts";
import type { Transport } from "../../src/model/transport.ts";

/** What an answer comes to: its texts joined, its calls, its end. */
export interface Reading {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: unknown; incomplete?: true }[];
  finish?: Omit<Extract<ModelEvent, { type: "finish" }>, "type">;
  error?: unknown;
}

export interface GoldenStream {
  name: string;
  bytes: Buffer;
  /** The provider that is asked. */
  provider: string;
  reads: Partial<Omit<Reading, "error">>;
  failure?: string;
}

const stop = { reason: "stop", rawReason: "stop" } as const;
const toolCalls = { reason: "tool-calls", rawReason: "tool_calls" } as const;
/** Ids that the server left out: any new one. */
export const newId = "<new id>";

const expectations: Record<string, Omit<GoldenStream, "name" | "bytes" | "provider"> & { provider?: string }> = {
  "openai-text": {
    reads: {
      text: "Good morning, café ☕ 😀!",
      finish: {
        ...stop,
        usage: { input_tokens: 1117, output_tokens: 46, total_tokens: 1163, cached_tokens: 1024, reasoning_tokens: 12 },
      },
    },
  },
  "openai-parallel-calls": {
    reads: {
      calls: [
        { id: "call_a1", name: "fs_read", arguments: { path: "café ☕.txt" } },
        { id: "call_b2", name: "bash", arguments: { command: "ls -la", timeout_seconds: 5 } },
      ],
      finish: {
        ...toolCalls,
        usage: { input_tokens: 1117, output_tokens: 46, total_tokens: 1163, cached_tokens: 1024, reasoning_tokens: 12 },
      },
    },
  },
  "openai-refusal": {
    reads: {
      text: "I can't help with that.",
      finish: { ...stop, usage: { input_tokens: 20, output_tokens: 8, total_tokens: 28 } },
    },
  },
  "openai-length": {
    reads: {
      text: "Writing both files.",
      calls: [
        { id: "call_a1", name: "fs_write", arguments: { path: "a", content: "x" } },
        { id: "call_b2", name: "fs_write", arguments: '{"path":"b","content":"half of', incomplete: true },
      ],
      finish: {
        reason: "length",
        rawReason: "length",
        usage: { input_tokens: 20, output_tokens: 64, total_tokens: 84 },
      },
    },
  },
  "openai-error": { reads: { text: "The question" }, failure: "server" },
  "openrouter-reasoning-call": {
    provider: "openrouter",
    reads: {
      reasoning: "The user wants the weather.",
      calls: [{ id: "toolu_01", name: "weather", arguments: { location: "Florence" } }],
      finish: {
        ...toolCalls,
        usage: {
          input_tokens: 424,
          output_tokens: 110,
          total_tokens: 534,
          cached_tokens: 400,
          cache_write_tokens: 24,
          reasoning_tokens: 64,
        },
        providerData: {
          provider: "openrouter",
          field: "reasoning",
          details: [
            {
              type: "reasoning.text",
              format: "anthropic-claude-v1",
              index: 0,
              text: "The user wants the weather.",
              signature: "EqkDCkgIc2lnbmF0dXJl",
            },
          ],
        },
      },
    },
  },
  "openrouter-error": { provider: "openrouter", reads: { text: "Let me" }, failure: "server" },
  "deepseek-reasoning": {
    reads: {
      reasoning: "9.11 has two decimals.",
      text: "9.8 is greater.",
      finish: {
        ...stop,
        usage: { input_tokens: 30, output_tokens: 25, total_tokens: 55, cached_tokens: 16, reasoning_tokens: 14 },
        providerData: { provider: "openai", field: "reasoning_content" },
      },
    },
  },
  "groq-parallel-calls": {
    reads: {
      text: "Adding both.",
      calls: [
        { id: "functions.add:0", name: "add", arguments: { a: 2, b: 3 } },
        { id: "functions.multiply:1", name: "multiply", arguments: { a: 2, b: 3 } },
      ],
      finish: { ...toolCalls, usage: { input_tokens: 207, output_tokens: 55, total_tokens: 262 } },
    },
  },
  "ollama-calls-index-0": {
    reads: {
      reasoning: "Two places.",
      calls: [
        { id: "call_x1", name: "weather", arguments: { city: "Rome" } },
        { id: "call_x2", name: "weather", arguments: { city: "Oslo" } },
      ],
      finish: {
        reason: "tool-calls",
        rawReason: "stop",
        usage: { input_tokens: 80, output_tokens: 40, total_tokens: 120 },
        providerData: { provider: "openai", field: "reasoning" },
      },
    },
  },
  "gemini-object-arguments": {
    reads: {
      text: "Two calls.",
      calls: [
        { id: newId, name: "weather", arguments: { city: "Rome", days: 2 } },
        { id: newId, name: "weather", arguments: { city: "Oslo", days: 1 } },
      ],
      finish: { ...toolCalls, usage: { input_tokens: 9, output_tokens: 12, total_tokens: 21 } },
    },
  },
  "llama-cpp-call": {
    reads: {
      reasoning: "Ask the tool.",
      calls: [{ id: "tNkZIM2w", name: "weather", arguments: { location: "Florence" } }],
      finish: {
        ...toolCalls,
        usage: { input_tokens: 139, output_tokens: 41, total_tokens: 180 },
        providerData: { provider: "openai", field: "reasoning_content" },
      },
    },
  },
  "mistral-thinking": {
    reads: {
      reasoning: "Let me think.",
      text: "Four it is.",
      finish: { ...stop, usage: { input_tokens: 9, output_tokens: 12, total_tokens: 21 } },
    },
  },
  "moonshot-usage-in-choice": {
    reads: {
      text: "Hello there.",
      finish: { ...stop, usage: { input_tokens: 19, output_tokens: 21, total_tokens: 40, cached_tokens: 10 } },
    },
  },
  "azure-filter-results": { reads: { text: "Hi.", finish: stop } },
  "interleaved-calls": {
    reads: {
      calls: [
        { id: "call_a", name: "add", arguments: { a: 2 } },
        { id: "call_b", name: "mul", arguments: { x: 4 } },
      ],
      finish: toolCalls,
    },
  },
};

export const goldenStreams: readonly GoldenStream[] = Object.entries(expectations).map(([name, golden]) => ({
  provider: "openai",
  ...golden,
  name,
  bytes: readFileSync(new URL(`../fixtures/streams/chat-completions/${name}.sse`, import.meta.url)),
}));

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
    post: async () => ({ status: 200, headers, body: body(), release: () => undefined, destroy: () => undefined }),
    close: () => undefined,
  };
}

/** Sends a stream's bytes, in these chunks, through the whole wire; memory stands for the connection. */
export function readChunks(
  { provider }: Pick<GoldenStream, "provider">,
  chunks: readonly Uint8Array[],
): Promise<Reading> {
  const model = createChatCompletionsModel({
    provider,
    modelId: "m",
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
  return { id, name, arguments: incomplete ? text : JSON.parse(text), ...(incomplete && { incomplete }) };
}

function withoutType({ type: _, ...finish }: Extract<ModelEvent, { type: "finish" }>): Reading["finish"] {
  return finish;
}
