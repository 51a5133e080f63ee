// What the recorded streams of OpenAI's Responses format must be read as.
import type { GoldenExpectation } from "./golden-expectation.ts";

const completed = { reason: "stop", rawReason: "completed" } as const;
const calls = { reason: "tool-calls", rawReason: "completed" } as const;
const usage = (input_tokens: number, output_tokens: number, cached_tokens = 0, reasoning_tokens = 0) => ({
  input_tokens,
  output_tokens,
  total_tokens: input_tokens + output_tokens,
  cached_tokens,
  reasoning_tokens,
});

export const responsesExpectations: Record<string, GoldenExpectation> = {
  "responses-text": {
    reads: { text: "Good morning, café ☕ 😀!", finish: { ...completed, usage: usage(1117, 46, 1024, 12) } },
  },
  "responses-reasoning-call": {
    reads: {
      reasoning: "The user wants the weather.\n\nAsk the tool.",
      text: "Let me look.",
      calls: [{ id: "call_w1", name: "weather", arguments: { location: "Florence" } }],
      finish: {
        ...calls,
        usage: usage(424, 110, 400, 64),
        providerData: {
          provider: "openai",
          model: "gpt-5",
          format: "responses",
          outline: [
            {
              own: {
                id: "rs_1",
                type: "reasoning",
                summary: [
                  { type: "summary_text", text: "The user wants the weather." },
                  { type: "summary_text", text: "Ask the tool." },
                ],
                encrypted_content: "gAAAAABoISQ24OyVRYbkYfukdJoqdzWT-3uiErKInHDC-lg",
              },
            },
            { text: 12, extra: { phase: "commentary" } },
            { call: true },
          ],
        },
      },
    },
  },
  "responses-parallel-calls": {
    reads: {
      calls: [
        { id: "call_a1", name: "fs_read", arguments: { path: "café ☕.txt" } },
        { id: "call_b2", name: "bash", arguments: { command: "ls -la", timeout_seconds: 5 } },
      ],
      finish: { ...calls, usage: usage(1117, 46, 1024, 12) },
    },
  },
  "responses-refusal": {
    reads: { text: "I can't help with that.", finish: { ...completed, usage: usage(20, 8) } },
  },
  "responses-incomplete": {
    reads: {
      text: "Writing both files.",
      calls: [
        { id: "call_a1", name: "fs_write", arguments: { path: "a", content: "x" } },
        { id: "call_b2", name: "fs_write", arguments: '{"path":"b","content":"half of', incomplete: true },
      ],
      finish: { reason: "length", rawReason: "max_output_tokens", usage: usage(20, 64) },
    },
  },
  "responses-content-filter": {
    reads: {
      text: "I would",
      finish: { reason: "content-filter", rawReason: "content_filter", usage: usage(20, 3) },
    },
  },
  "responses-error": { reads: { text: "The question" }, failure: "server" },
  "responses-failed": { reads: {}, failure: "rate-limited" },
  "responses-no-deltas": {
    reads: { reasoning: "Greet.", text: "Hi there.", finish: { ...completed, usage: usage(9, 12) } },
  },
};
