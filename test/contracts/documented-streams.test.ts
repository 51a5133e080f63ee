// Streams in the documented shape of each provider, through the whole wire: as they are, disguised, and split anywhere.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difference, documentedStreams } from "./documented-streams.ts";
import { readChunks } from "./golden-streams.ts";

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
      { numRuns: 10 },
    );
  });
});
