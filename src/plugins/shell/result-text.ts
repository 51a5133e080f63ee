// What one result shows of a shell's output: all of it, or its two ends when it is long.
import type { OutputBuffer } from "../../environment/output-buffer.ts";
import { strayLength, unfinishedLength } from "../../environment/utf8.ts";

/** Bytes of the longest output that is shown whole. */
const longestWhole = 1024 * 1024;
/** Bytes shown of each end of a longer one. */
const endBytes = 16 * 1024;

export interface ResultText {
  readonly text: string;
  /** The rest can only be had from the shell, by its id. */
  readonly isCut: boolean;
  /** Where reading goes on. */
  readonly nextOffset: number;
}

/** Reads what was printed so far. */
export async function readResult(output: OutputBuffer): Promise<ResultText> {
  const { length, byteLength } = output;
  if (byteLength <= longestWhole) {
    const { text, nextOffset } = await output.read({ limit: length });
    return { text, isCut: false, nextOffset };
  }
  const { text: start } = await output.read({ limit: endBytes });
  const { text: end } = await output.read({ offset: length - endBytes, limit: endBytes });
  const note = `[${byteLength} bytes in total: the middle is left out, read it with bash.output]`;
  return { text: `${firstBytes(start)}\n${note}\n${lastBytes(end)}`, isCut: true, nextOffset: length };
}

function firstBytes(text: string): string {
  const bytes = Buffer.from(text).subarray(0, endBytes);
  return bytes.subarray(0, bytes.length - unfinishedLength(bytes)).toString();
}

function lastBytes(text: string): string {
  const bytes = Buffer.from(text).subarray(-endBytes);
  return bytes.subarray(strayLength(bytes)).toString();
}
