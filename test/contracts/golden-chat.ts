// What the recorded Chat Completions streams must be read as.
import { type GoldenExpectation, newId } from "./golden-expectation.ts";

const stop = { reason: "stop", rawReason: "stop" } as const;
const toolCalls = { reason: "tool-calls", rawReason: "tool_calls" } as const;
export const chatExpectations: Record<string, GoldenExpectation> = {
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
          model: "m",
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
        providerData: { provider: "openai", model: "m", field: "reasoning_content" },
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
        providerData: { provider: "openai", model: "m", field: "reasoning" },
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
        providerData: { provider: "openai", model: "m", field: "reasoning_content" },
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
