// What the recorded streams of Anthropic's Messages format must be read as.
import type { GoldenExpectation } from "./golden-expectation.ts";

const maker = { provider: "anthropic", model: "claude-sonnet-4-5", format: "anthropic" } as const;

export const anthropicExpectations: Record<string, GoldenExpectation> = {
  "anthropic-text": {
    reads: {
      text: "Good morning, café ☕ 😀!",
      finish: {
        reason: "stop",
        rawReason: "end_turn",
        usage: {
          input_tokens: 1117,
          output_tokens: 15,
          total_tokens: 1132,
          cached_tokens: 1000,
          cache_write_tokens: 24,
        },
      },
    },
  },
  "anthropic-parallel-calls": {
    reads: {
      text: "Both at once.",
      calls: [
        { id: "toolu_01A", name: "fs_read", arguments: { path: "café ☕.txt" } },
        { id: "toolu_01B", name: "bash", arguments: { command: "ls -la", timeout_seconds: 5 } },
        { id: "toolu_01C", name: "list_all", arguments: {} },
      ],
      finish: {
        reason: "tool-calls",
        rawReason: "tool_use",
        usage: { input_tokens: 472, output_tokens: 89, total_tokens: 561 },
      },
    },
  },
  "anthropic-thinking-call": {
    reads: {
      reasoning: "The user wants the weather.",
      text: "Let me look.",
      calls: [{ id: "toolu_01D", name: "weather", arguments: { location: "Florence" } }],
      finish: {
        reason: "tool-calls",
        rawReason: "tool_use",
        usage: {
          input_tokens: 424,
          output_tokens: 110,
          total_tokens: 534,
          reasoning_tokens: 64,
          cached_tokens: 0,
          cache_write_tokens: 0,
        },
        providerData: {
          ...maker,
          outline: [
            {
              own: {
                type: "thinking",
                thinking: "The user wants the weather.",
                signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk",
              },
            },
            { text: 12 },
            { call: true },
          ],
        },
      },
    },
  },
  "anthropic-redacted-thinking": {
    reads: {
      text: "Four it is.",
      finish: {
        reason: "stop",
        rawReason: "end_turn",
        usage: { input_tokens: 30, output_tokens: 20, total_tokens: 50 },
        providerData: {
          ...maker,
          outline: [
            { own: { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIw" } },
            { text: 11 },
          ],
        },
      },
    },
  },
  "anthropic-refusal": {
    reads: {
      text: "I would",
      finish: {
        reason: "content-filter",
        rawReason: "refusal",
        usage: { input_tokens: 20, output_tokens: 3, total_tokens: 23 },
      },
    },
  },
  "anthropic-refusal-details": {
    reads: {
      text: "This request was declined.",
      finish: {
        reason: "content-filter",
        rawReason: "refusal",
        usage: { input_tokens: 20, output_tokens: 0, total_tokens: 20 },
      },
    },
  },
  "anthropic-error": { reads: { text: "The question" }, failure: "server" },
  "anthropic-max-tokens": {
    reads: {
      text: "Writing both files.",
      calls: [
        { id: "toolu_01E", name: "fs_write", arguments: { path: "a", content: "x" } },
        { id: "toolu_01F", name: "fs_write", arguments: '{"path":"b","content":"half of', incomplete: true },
      ],
      finish: {
        reason: "length",
        rawReason: "max_tokens",
        usage: { input_tokens: 20, output_tokens: 64, total_tokens: 84 },
      },
    },
  },
};
