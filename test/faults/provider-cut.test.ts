// A provider's stream that breaks off, at every byte of every recorded one: nothing runs, nothing hangs, nothing is made up.
import { expect, test } from "vitest";
import type { Reading } from "../contracts/golden-expectation.ts";
import { failureOf, type GoldenStream, goldenStreams, readChunks } from "../contracts/golden-streams.ts";

test.each(goldenStreams)("R2.8 $name cut at any byte is a retryable error without calls, or whole", async (golden) => {
  const whole = await readChunks(golden, [golden.bytes]);
  const problems: string[] = [];
  const outcomes = new Set<string | undefined>();
  for (let length = 0; length < golden.bytes.length; length++) {
    const reading = await readChunks(golden, [golden.bytes.subarray(0, length)]);
    const problem = reading.error === undefined ? wrongEnd(reading, whole) : wrongFailure(reading, whole, golden);
    if (problem !== undefined) problems.push(`after ${length} bytes: ${problem}`);
    outcomes.add(failureOf(reading));
  }
  expect(problems).toEqual([]);
  expect(outcomes).toContain("cut");
  if (golden.failure === undefined) expect(outcomes).toContain(undefined);
});

/** It may only lack the usage, which comes last. */
function wrongEnd(reading: Reading, whole: Reading): string | undefined {
  const core = ({ text, reasoning, calls, finish }: Reading) =>
    JSON.stringify([
      text,
      reasoning,
      calls.map((call) => [call.name, call.arguments]),
      finish?.reason,
      finish?.providerData,
    ]);
  return core(reading) === core(whole) ? undefined : `read as ${core(reading)}`;
}

function wrongFailure(reading: Reading, whole: Reading, { failure }: GoldenStream): string | undefined {
  const found = failureOf(reading);
  if (found !== "cut" && found !== failure) return `failed as ${found}`;
  if (!whole.text.startsWith(reading.text) || !whole.reasoning.startsWith(reading.reasoning)) return "text was made up";
  if (reading.calls.length > 0) return "a call was given";
  return (reading.error as { facts: { retryable: boolean } }).facts.retryable ? undefined : "not retryable";
}
