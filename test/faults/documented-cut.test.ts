// The documented streams, broken off: nothing runs, nothing hangs, nothing is made up. The long form cuts at every byte.
import { expect, test } from "vitest";
import { type DocumentedStream, documentedStreams } from "../contracts/documented-streams.ts";
import type { Reading } from "../contracts/golden-expectation.ts";
import { failureOf, readChunks } from "../contracts/golden-streams.ts";

const isLong = process.env.BUB_TEST_LONG === "1";

/** Around the ends of all lines, where an outcome can change, and at a tenth of the other places, always the same. */
function placesIn(bytes: Buffer): number[] {
  const all = Array.from(bytes.keys());
  if (isLong) return all;
  const ends = new Set(all.filter((at) => bytes[at] === 0x0a).flatMap((at) => [at - 1, at, at + 1, at + 2]));
  return all.filter((at) => ends.has(at) || (Math.imul(at, 2_654_435_761) >>> 0) % 10 === 0);
}

const read = (stream: DocumentedStream, bytes: Buffer) => readChunks(stream, [bytes]);

test.each(documentedStreams)(
  "R2.8 $format.format: $name cut anywhere is an error without calls, or whole",
  async (stream) => {
    const bytes = Buffer.from(stream.text);
    const whole = await read(stream, bytes);
    const problems: string[] = [];
    for (const length of placesIn(bytes)) {
      const reading = await read(stream, bytes.subarray(0, length));
      const problem = reading.error === undefined ? wrongEnd(reading, whole) : wrongFailure(reading, whole);
      if (problem !== undefined) problems.push(`after ${length} bytes: ${problem}`);
    }
    expect(problems).toEqual([]);
    expect(failureOf(await read(stream, bytes.subarray(0, 0)))).toBe("cut");
  },
);

/** A reading that ended well before its last byte may lack nothing but its usage, and words that its maker adds at the end. */
function wrongEnd(reading: Reading, whole: Reading): string | undefined {
  const core = ({ text, reasoning, calls, finish }: Reading) =>
    JSON.stringify([
      text,
      reasoning,
      calls.map(({ name, arguments: args, incomplete }) => [name, args, incomplete]),
      finish?.reason,
      finish?.providerData,
    ]);
  return core(reading) === core(whole) ? undefined : `read as ${core(reading)}`;
}

function wrongFailure(reading: Reading, whole: Reading): string | undefined {
  const found = failureOf(reading);
  if (found !== "cut" && found !== failureOf(whole)) return `failed as ${found}`;
  if (!whole.text.startsWith(reading.text) || !whole.reasoning.startsWith(reading.reasoning)) return "text was made up";
  if (reading.calls.length > 0) return "a call was given";
  const { retryable } = (reading.error as { facts: { retryable: boolean } }).facts;
  return retryable || found !== "cut" ? undefined : "not retryable";
}
