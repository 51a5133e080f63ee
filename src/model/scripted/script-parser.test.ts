import { expect, test } from "vitest";
import { parseScript } from "./script-parser.ts";

test("R4.2 a script in YAML: texts, reasoning, calls, faults, delays, usage, patterns", async () => {
  const script = await parseScript(
    `
after: repeat
answers:
  - Hello there.
  - reasoning: Let me look.
    text: [Looking, " now."]
    calls:
      - name: fs.read
        arguments: { path: a.txt }
      - { name: bash, arguments: '{"comm', id: call_x }
    usage: { input_tokens: 10, output_tokens: 2 }
  - error: { status: 429, retry_after: 1.5, message: slow, code: busy }
  - error: 500
  - { text: half, cut: true }
  - stall: true
  - text: one two  three
    delay_ms: 20
    chunk_delay_ms: 5
    finish: length
  - when: { user: "weather in (rome|oslo)", tool: bash, result: 'exit \\d+', step: 2 }
    text: Sunny.
conversations:
  - first: you are a child
    answers: [done]
`,
    "demo.yaml",
  );
  expect(script).toEqual({
    after: "repeat",
    order: "conversation",
    conversations: [{ first: /you are a child/iu, answers: [{ text: [{ text: "done" }] }] }],
    answers: [
      { text: [{ text: "Hello there." }] },
      {
        reasoning: [{ text: "Let me look." }],
        text: [{ text: "Looking" }, { text: " now." }],
        calls: [
          { name: "fs.read", arguments: { path: "a.txt" } },
          { name: "bash", arguments: '{"comm', id: "call_x" },
        ],
        usage: { input_tokens: 10, output_tokens: 2 },
      },
      { fault: { kind: "error", status: 429, retryAfterMs: 1500, message: "slow", code: "busy" } },
      { fault: { kind: "error", status: 500 } },
      { text: [{ text: "half" }], fault: { kind: "cut" } },
      { fault: { kind: "stall" } },
      { text: ["one", " two", "  three"].map((text) => ({ text, delayMs: 5 })), delayMs: 20, finish: "length" },
      {
        when: { user: /weather in (rome|oslo)/iu, tool: "bash", result: /exit \d+/iu, step: 2 },
        text: [{ text: "Sunny." }],
      },
    ],
  });
});

test("R4.2 a script in JSON, and a bare list", async () => {
  const script = await parseScript('["a", {"text": "b"}]', "a.json");
  expect(script).toMatchObject({
    answers: [{ text: [{ text: "a" }] }, { text: [{ text: "b" }] }],
    order: "conversation",
    after: "error",
  });
});

test.each([
  ["answers:\n  - text: 3\n", "s.yaml:2: answers[0].text must be text or a list of texts."],
  ["answers:\n  - a\n  - calls:\n      - arguments: {}\n", "s.yaml:4: answers[1].calls[0].name must be text."],
  ["- a\n- txet: b\n", "s.yaml:2: [1].txet is not known here; did you mean text?"],
  ["answers: []\nrules: []\n", "s.yaml:2: rules is not known here; there are answers, conversations, order, after."],
  [
    "- when: { user: '(' }\n",
    "s.yaml:1: [0].when.user is no regular expression (Invalid regular expression: /(/iu: Unterminated group).",
  ],
  ["- text: a\n  error: 500\n  cut: true\n", "s.yaml:3: [0].cut cannot stand beside error."],
  ["- stall: 3\n", "s.yaml:1: [0].stall must be true."],
  ["- delay_ms: -1\n", "s.yaml:1: [0].delay_ms must be a number of 0 or more."],
  ["- finish: done\n", "s.yaml:1: [0].finish must be one of stop, tool-calls, length, content-filter, other."],
  [
    "- calls: [{ name: bash, arguments: [] }]\n",
    "s.yaml:1: [0].calls[0].arguments must be an object, or text to send as it is.",
  ],
  ["- usage: { tokens: 3 }\n", /^s\.yaml:1: \[0\]\.usage\.tokens is not known here/],
  ["conversations:\n  - answers: []\n", "s.yaml:2: conversations[0].first must be text."],
  ["just text", "s.yaml:1: The script must have keys and values (answers, conversations, order, after)."],
  ["", "s.yaml:1: The script must have keys and values (answers, conversations, order, after)."],
  ["answers:\n\t- a\n", /^s\.yaml:2: /],
  ['{\n "answers": [\n  {"text": 1}\n ]\n}', "s.yaml:3: answers[0].text must be text or a list of texts."],
  ['{"answers": [', /^s\.yaml:1: /],
])("R4.2 what is wrong is told by file and line: %j", async (text, message) => {
  await expect(parseScript(text, "s.yaml")).rejects.toMatchObject({
    kind: "config",
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });
});
