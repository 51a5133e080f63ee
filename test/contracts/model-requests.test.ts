// One conversation on every wire format: what any of them made is a valid request on each, and grows at its end only.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ContentPart } from "../../src/base/content.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { ModelMessage, ModelRequest, ModelTool } from "../../src/model/model.ts";
import { refusalOf } from "../../src/model/wire-rules.ts";
import { recording } from "../support/wire-bodies.ts";
import { validators } from "../support/wire-validators.ts";
import { type TestedFormat, testedFormats } from "./golden-streams.ts";

/** The key of the list of messages, which stands last. */
const lists: Record<TestedFormat["format"], string> = {
  "chat-completions": '"messages":[',
  anthropic: '"messages":[',
  responses: '"input":[',
  google: '"contents":[',
};

/** What `bub tape check` calls them. */
const wires = { "chat-completions": "chat", anthropic: "anthropic", responses: "responses", google: "google" } as const;

const formats = testedFormats.map((tested) => ({
  ...tested,
  problem: validators[tested.format],
  list: lists[tested.format],
}));

const generations: Record<TestedFormat["format"], readonly string[]> = {
  "chat-completions": ["m"],
  anthropic: ["claude-3-5-haiku-latest", "claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-5-5"],
  responses: ["gpt-4o", "gpt-5", "o4-mini", "gpt-5.1"],
  google: ["gemini-2.0-flash", "gemini-2.5-pro", "gemini-2.5-flash-lite", "gemini-3-flash-preview", "gemini-3-pro"],
};

/** A model of the format: answers what it would have sent for messages, and whatever else is given of the request. */
function asking(format: TestedFormat) {
  const bodyOf = recording(format);
  return (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): Promise<string> =>
    bodyOf({ ...base, messages, ...more });
}

const tools: readonly ModelTool[] = [
  { name: "fs_read", description: "Read.", parameters: { type: "object", properties: { path: { type: "string" } } } },
  {
    name: "odd",
    description: "Choose.",
    parameters: { oneOf: [{ type: "object", properties: {} }, { type: "object" }] },
  },
  { name: "bash", description: "Run.", parameters: { type: "object", properties: {} } },
];
const base: ModelRequest = {
  system: "be brief",
  messages: [],
  tools,
  maxTokens: 4096,
  loadMedia: async ({ sha256 }) => `bytes-of-${sha256}`,
  signal: new AbortController().signal,
};

const png: ContentPart = { type: "image", media_type: "image/png", data: "AAAA" };
const stored: ContentPart = { type: "image", media_type: "image/jpeg", sha256: "abc" };
const audio: ContentPart = { type: "audio", media_type: "audio/mpeg", data: "BBBB" };
const video: ContentPart = { type: "video", media_type: "video/mp4", data: "CCCC" };

const words = fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.constantFrom("", " \n", "a\ud800b"));
const content = fc.oneof(
  words,
  fc.array(
    fc.oneof(
      words.map((text): ContentPart => ({ type: "text", text })),
      fc.constantFrom(png, stored, audio, video),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
);
/** Ids as providers make them: some repeat, some have letters that others refuse, some are long. */
const ids = fc.constantFrom("functions.add:0", "call_1", "toolu_01A", "a b☕", "x".repeat(90), `${"y".repeat(70)}.`);

/** Names as models make them up, too: they reach the tape as they came, and a tool's result names its alias. */
const names = fc.constantFrom("fs_read", "bash", "fs.read", "bash<|channel|>json", "", "工具", "1st", "x".repeat(80));

/** What each format kept of an answer with one thought, `text` and `count` calls: secret to all others. */
const secrets: Record<string, (text: string, count: number) => JsonObject> = {
  anthropic: (text, count) => ({
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    format: "anthropic",
    outline: [
      { own: { type: "thinking", thinking: "Hm.", signature: "SECRET-anthropic" } },
      ...(text === "" ? [] : [{ text: text.length }]),
      ...Array.from({ length: count }, () => ({ call: true })),
    ],
  }),
  responses: (text, count) => ({
    provider: "openai",
    model: "gpt-5",
    format: "responses",
    outline: [
      { own: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "SECRET-responses" } },
      ...(text === "" ? [] : [{ text: text.length, extra: { phase: "commentary" } }]),
      ...Array.from({ length: count }, () => ({ call: true })),
    ],
  }),
  google: (text, count) => ({
    provider: "google",
    model: "gemini-3-pro",
    format: "google",
    outline: [
      ...(text === "" ? [] : [{ text: text.length }]),
      ...Array.from({ length: count }, (_, index) => ({
        call: true,
        ...(index === 0 && { extra: { thoughtSignature: "SECRET-google" } }),
      })),
      ...(count === 0 ? [{ text: 0, extra: { thoughtSignature: "SECRET-google" } }] : []),
    ],
  }),
  "chat-completions": () => ({
    provider: "openrouter",
    model: "m",
    field: "reasoning",
    details: [{ type: "reasoning.text", text: "Hm.", signature: "SECRET-chat-completions", index: 0 }],
  }),
};

const step = fc
  .tuple(
    words,
    fc.uniqueArray(ids, { maxLength: 3 }),
    fc.array(content, { minLength: 3, maxLength: 3 }),
    fc.constantFrom(...Object.keys(secrets), ""),
    fc.array(names, { minLength: 3, maxLength: 3 }),
  )
  .map(([text, callIds, results, maker, named]): ModelMessage[] => {
    const providerData = secrets[maker]?.(text, callIds.length);
    return [
      {
        role: "assistant",
        content: text,
        ...(providerData !== undefined && { reasoning: "Hm.", providerData }),
        calls: callIds.map((id, index) => ({ id, name: named[index] ?? "bash", arguments: { n: index } })),
      },
      ...callIds.map(
        (callId, index): ModelMessage => ({
          role: "tool",
          callId,
          name: named[index]?.replaceAll(".", "_") ?? "bash",
          content: results[index] ?? "",
          isError: index === 1,
        }),
      ),
    ];
  });
const prompt = content.map((said): ModelMessage[] => [{ role: "user", content: said }]);
const asked: ModelMessage[] = [{ role: "user", content: "go" }];
/** Steps and prompts in any order: also two prompts in a row, and an answer first, as after a hand-off. */
const conversation = fc
  .array(fc.oneof(prompt, step, step), { minLength: 1, maxLength: 8 })
  .map((parts) => (parts.flat().some(({ role }) => role === "user") ? parts : [...parts, asked]));

describe.each(formats)("$format", (format) => {
  test("R4.3 a conversation of all providers, with calls and images, is a valid request without foreign reasoning", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (parts) => {
        const text = await asking(format)(parts.flat());
        expect(text).not.toContain("\\ud800");
        expect(format.problem(JSON.parse(text))).toBeUndefined();
        expect(refusalOf(wires[format.format], JSON.parse(text))).toBeUndefined();
        const foreign = [...text.matchAll(/SECRET-([a-z-]+)/g)].filter(([, maker]) => maker !== format.format);
        expect(foreign).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("R4.1 every effort and limit of tokens is one that each generation of its models takes", async () => {
    const call = { id: "call_1", name: "fs_read", arguments: {} };
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      { role: "assistant", calls: [call], providerData: secrets[format.format]?.("", 1) },
      { role: "tool", callId: "call_1", name: "fs_read", content: "ok", isError: false },
    ];
    for (const modelId of generations[format.format]) {
      for (const reasoningEffort of [undefined, "none", "minimal", "low", "medium", "high", "xhigh", "max"]) {
        for (const maxTokens of [1, 1024, 2048, 16_384]) {
          // Calls need signatures in Gemini's third generation only.
          const list = format.format === "google" ? messages.slice(0, 1) : messages;
          const text = await asking({ ...format, modelId })(list, { reasoningEffort, maxTokens });
          expect([modelId, reasoningEffort, format.problem(JSON.parse(text))]).toEqual([
            modelId,
            reasoningEffort,
            undefined,
          ]);
        }
      }
    }
  });

  test.skipIf(format.format === "chat-completions")("R4.3 its own reasoning goes back, at its place", async () => {
    const providerData = secrets[format.format]?.("said", 1);
    const call = { id: "call_1", name: "fs_read", arguments: {} };
    const ask = asking(format);
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      { role: "assistant", content: "said", reasoning: "Hm.", providerData, calls: [call] },
      { role: "tool", callId: "call_1", name: "fs_read", content: "ok", isError: false },
    ];
    expect((await ask(messages)).split(`SECRET-${format.format}`)).toHaveLength(2);
    // Signatures hold for one model.
    const other = asking({ ...format, modelId: `${format.modelId}-next` });
    expect(await other(messages)).not.toContain("SECRET");
  });

  test("R2.4 each request extends the last one byte for byte, over steps, turns and restarts", async () => {
    /** Without the closing brackets, and without marks for a cache. */
    const elements = (text: string): string =>
      text
        .slice(text.lastIndexOf(format.list))
        .replaceAll(',"cache_control":{"type":"ephemeral"}', "")
        .replace(/[\]}]+$/, "");
    await fc.assert(
      fc.asyncProperty(conversation, async (parts) => {
        const ask = asking(format);
        const messages: ModelMessage[] = [];
        let before = "";
        for (const part of parts) {
          messages.push(...part);
          const text = await ask(messages);
          expect(elements(text).startsWith(elements(before))).toBe(true);
          expect(await asking(format)(structuredClone(messages))).toBe(text);
          before = text;
        }
      }),
      { numRuns: 25 },
    );
  });

  test("R2.4 tools that are loaded later come last: the list before is a prefix", async () => {
    const ask = asking(format);
    const listOf = (text: string): string => {
      const start = text.indexOf('"tools":[');
      return text.slice(start, text.indexOf(format.list)).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
    };
    const later = [...tools, { name: "later", description: "Later.", parameters: { type: "object", properties: {} } }];
    const messages = [{ role: "user", content: "go" }] as const;
    const [first, second] = [listOf(await ask(messages)), listOf(await ask(messages, { tools: later }))];
    const end = first.search(/[\]}]+,("system"|"instructions"|"systemInstruction"|)/);
    expect(first).toContain("fs_read");
    expect(second.startsWith(first.slice(0, first.indexOf('"bash"')))).toBe(true);
    expect(end).toBeGreaterThan(0);
    expect(second.indexOf('"later"')).toBeGreaterThan(second.indexOf('"bash"'));
  });
});
