// Streams in the documented shape of each provider, through the whole wire: as they are, disguised, and split anywhere.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../src/model/model.ts";
import { bodyOf } from "../support/wire-bodies.ts";
import { validators } from "../support/wire-validators.ts";
import { type DocumentedStream, difference, documentedStreams } from "./documented-streams.ts";
import type { Reading } from "./golden-expectation.ts";
import { readChunks, testedFormats } from "./golden-streams.ts";

const disguises: Record<string, (text: string, head: string) => string> = {
  "as it is": (text) => text,
  "with CRLF": (text) => text.replaceAll("\n", "\r\n"),
  "with its head of comments": (text, head) => head + text,
  "with comments and unknown fields between its lines": (text) =>
    text.replaceAll("\ndata:", "\n: note\nretry: 10\nid: 4\ndata:").replaceAll("\n\n", "\n\n:\n\n: ping\n"),
  "without a terminator": (text) => text.replace("data: [DONE]\n\n", "").trimEnd(),
  "with [DONE] at its end": (text) => `${text.replace("data: [DONE]\n\n", "")}data: [DONE]\n\n`,
  "with unknown events": (text) => text.replaceAll("\n\n", '\n\nevent: novelty\ndata: {"type":"novelty","n":1}\n\n'),
};

describe.each(documentedStreams)("R2.8 $format.format: $name", (stream) => {
  const { outcome, text, head } = stream;

  for (const [name, disguise] of Object.entries(disguises)) {
    test(`is read, ${name}`, async () => {
      const reading = await readChunks(stream, [Buffer.from(disguise(text, head))]);
      expect(difference(outcome, reading)).toBeUndefined();
    });
  }

  test("is read in single bytes and split anywhere", async () => {
    const bytes = Buffer.from(text);
    const single = await readChunks(
      stream,
      [...bytes].map((byte) => Uint8Array.of(byte)),
    );
    expect(difference(outcome, single)).toBeUndefined();
    const places = fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(places, async (cuts) => {
        const at = [0, ...[...new Set(cuts)].sort((left, right) => left - right)];
        const chunks = at.map((from, index) => bytes.subarray(from, at[index + 1] ?? bytes.length));
        expect(difference(outcome, await readChunks(stream, chunks))).toBeUndefined();
      }),
      { numRuns: process.env.BUB_TEST_LONG === "1" ? 50 : 5 },
    );
  });
});

/** The conversation that an answer leaves behind: each call has a result, and somebody speaks again. */
function conversationOf({ text, reasoning, calls, finish }: Reading): ModelMessage[] {
  const made = calls.map(({ id, name, arguments: args, incomplete }) => {
    const isSound = typeof args === "object" && args !== null && incomplete !== true;
    return { id, name: name.replace(".", "_"), arguments: isSound ? { ...args } : {} };
  });
  return [
    { role: "user", content: "go" },
    { role: "assistant", content: text, reasoning, providerData: finish?.providerData, calls: made },
    ...made.map(({ id, name }): ModelMessage => ({ role: "tool", callId: id, name, content: "ok", isError: false })),
    { role: "user", content: "and now?" },
  ];
}

const answers = documentedStreams.filter(({ outcome: { finish } }) => finish !== "error" && finish !== "empty");

describe.each(answers)("R4.3 $format.format: what $name leaves behind", (stream) => {
  const read = (from: DocumentedStream) => readChunks(from, [Buffer.from(from.text)]);

  test("is a request that each provider takes", async () => {
    const messages = conversationOf(await read(stream));
    for (const tested of testedFormats)
      expect([tested.format, validators[tested.format](await bodyOf(tested, messages))]).toEqual([
        tested.format,
        undefined,
      ]);
  });

  const { signatures = [], encrypted = [], redacted = [], text, calls } = stream.outcome;
  const seals = [...signatures, ...encrypted, ...redacted];

  test.skipIf(seals.length === 0)("has its seals again for its maker, and for nobody else", async () => {
    const { format, provider } = stream;
    const messages = conversationOf(await read(stream));
    const sent = JSON.stringify(await bodyOf({ ...format, provider }, messages));
    const isWhole = text.trim() !== "" || calls.length > 0;
    expect(seals.filter((seal) => sent.includes(seal))).toEqual(isWhole ? seals : []);
    for (const other of testedFormats.filter((tested) => tested.format !== format.format)) {
      const foreign = JSON.stringify(await bodyOf(other, messages));
      expect(seals.filter((seal) => foreign.includes(seal))).toEqual([]);
    }
  });
});
