// Golden streams of each wire format through the whole wire, with bytes from memory in the place of a connection.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId, type Reading } from "./golden-expectation.ts";
import { failureOf, type GoldenStream, goldenStreams, readChunks } from "./golden-streams.ts";

function expectWhole(golden: GoldenStream, reading: Reading): void {
  const { reads, failure } = golden;
  const expected = { text: "", reasoning: "", calls: [], ...reads };
  const ids = reading.calls.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const calls = reading.calls.map((call, index) => {
    const wanted = expected.calls[index]?.id;
    if (wanted === newId) expect(call.id).toMatch(/^call_[0-9a-f]{12}$/);
    return wanted === newId ? { ...call, id: newId } : call;
  });
  expect({ ...reading, calls, error: undefined }).toEqual({ ...expected, error: undefined });
  expect(failureOf(reading)).toBe(failure);
}

const variants: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "CRLF line ends": (text) => text.replaceAll("\n", "\r\n"),
  "CR line ends": (text) => text.replaceAll("\n", "\r"),
  "comments and blank lines between all frames": (text) => text.replaceAll("\n\n", "\n\n: keep-alive\n\n\n\n"),
  "no [DONE]": (text) => text.replace("data: [DONE]\n\n", ""),
  "no blank line at the end": (text) => text.trimEnd(),
  "unknown events and fields": (text) =>
    text.replaceAll("data: {", 'event: ping\ndata: {"type":"ping"}\n\nid: 7\nretry: 3\ndata: {'),
  "a byte order mark": (text) => `\uFEFF${text}`,
};

describe.each(goldenStreams)("R2.8 $name", (golden) => {
  for (const [name, change] of Object.entries(variants)) {
    test(`is read, ${name}`, async () => {
      const reading = await readChunks(golden, [Buffer.from(change(golden.bytes.toString("utf8")))]);
      expectWhole(golden, reading);
    });
  }

  test("is read however its bytes are split", async () => {
    const { bytes } = golden;
    const cuts = fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const at = [0, ...[...new Set(places)].sort((left, right) => left - right)];
        const chunks = at.map((from, index) => bytes.subarray(from, at[index + 1] ?? bytes.length));
        expectWhole(golden, await readChunks(golden, chunks));
      }),
      { numRuns: 30 },
    );
    expectWhole(
      golden,
      await readChunks(
        golden,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    );
  });
});
