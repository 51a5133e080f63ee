// What the recorded streams of the Gemini format must be read as.
import { type GoldenExpectation, newId } from "./golden-expectation.ts";

const maker = { provider: "google", model: "gemini-3-pro", format: "google" } as const;

export const googleExpectations: Record<string, GoldenExpectation> = {
  "gemini-text": {
    reads: {
      text: "Good morning, café ☕ 😀!",
      finish: {
        reason: "stop",
        rawReason: "STOP",
        usage: { input_tokens: 1117, output_tokens: 46, total_tokens: 1163, cached_tokens: 1024, reasoning_tokens: 12 },
      },
    },
  },
  "gemini-thinking-call": {
    reads: {
      reasoning: "The user wants the weather.",
      text: "Let me look.",
      calls: [{ id: "k2f8a1", name: "weather", arguments: { location: "Florence" } }],
      finish: {
        reason: "tool-calls",
        rawReason: "STOP",
        usage: { input_tokens: 424, output_tokens: 110, total_tokens: 534, reasoning_tokens: 64 },
        providerData: {
          ...maker,
          outline: [{ text: 12 }, { call: true, extra: { thoughtSignature: "CvwBAdHtim9hX2lnbmF0dXJl" } }],
        },
      },
    },
  },
  "gemini-parallel-calls": {
    reads: {
      calls: [
        { id: newId, name: "fs_read", arguments: { path: "café ☕.txt" } },
        { id: newId, name: "bash", arguments: { command: "ls -la", timeout_seconds: 5 } },
        { id: newId, name: "list_all", arguments: {} },
      ],
      finish: {
        reason: "tool-calls",
        rawReason: "STOP",
        usage: { input_tokens: 80, output_tokens: 40, total_tokens: 120 },
        providerData: {
          ...maker,
          outline: [{ call: true, extra: { thoughtSignature: "CkABAdHtim8" } }, { call: true }, { call: true }],
        },
      },
    },
  },
  "gemini-text-signature": {
    reads: {
      text: "Four it is.",
      finish: {
        reason: "stop",
        rawReason: "STOP",
        usage: { input_tokens: 9, output_tokens: 12, total_tokens: 21, reasoning_tokens: 9 },
        providerData: {
          ...maker,
          outline: [{ text: 11 }, { text: 0, extra: { thoughtSignature: "CiQBAdHtim9sYXN0" } }],
        },
      },
    },
  },
  "gemini-blocked": {
    reads: {
      text: "(google blocked the request: PROHIBITED_CONTENT)",
      finish: {
        reason: "content-filter",
        rawReason: "PROHIBITED_CONTENT",
        usage: { input_tokens: 20, total_tokens: 20 },
      },
    },
  },
  "gemini-safety": {
    reads: {
      text: "I would",
      finish: {
        reason: "content-filter",
        rawReason: "SAFETY",
        usage: { input_tokens: 20, output_tokens: 3, total_tokens: 23 },
      },
    },
  },
  "gemini-max-tokens": {
    reads: {
      text: "One two three",
      finish: {
        reason: "length",
        rawReason: "MAX_TOKENS",
        usage: { input_tokens: 20, output_tokens: 64, total_tokens: 84 },
      },
    },
  },
  "gemini-malformed-call": { reads: { text: "Let me" }, failure: "server" },
  "gemini-error": { reads: { text: "The question" }, failure: "server" },
};
