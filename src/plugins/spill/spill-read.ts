// `spill.read`: pages of a result that was moved into the sidecar.
import * as v from "valibot";
import { defineTool } from "../../tools/define-tool.ts";
import { findSpill, type Manifest, sidecarName } from "./spill-store.ts";

/** Chunks that one call can read. */
const mostChunks = 4;

export const spillRead = defineTool({
  name: "spill.read",
  description: "Read a large tool result that was moved away, by the handle in its place.",
  exposure: "direct",
  input: v.strictObject({
    handle: v.pipe(v.string(), v.description("32 hex digits")),
    cursor: v.optional(v.pipe(v.number(), v.description("chunk to start at, from 0")), 0),
    count: v.optional(v.pipe(v.number(), v.description("chunks, at most 4")), 1),
    from_end: v.optional(v.pipe(v.boolean(), v.description("count chunks from the end")), false),
  }),
  async run({ handle, cursor, count, from_end: fromEnd }, { turn, signal }): Promise<string> {
    if (!Number.isInteger(cursor) || cursor < 0) return `cursor must be a whole number of 0 or more, not ${cursor}`;
    if (!Number.isInteger(count) || count < 1) return `count must be a whole number of 1 or more, not ${count}`;
    const wanted = (manifest: Manifest) => rangeOf(manifest, { cursor, count, fromEnd });
    const name = handle.trim().toLowerCase();
    const found = await findSpill(await turn.sidecar(sidecarName), name, wanted, signal);
    if (found === undefined) return `no spilled result: ${handle}`;
    const { manifest, chunks } = found;
    if (manifest === undefined) return `the spilled result ${handle} is incomplete: it was never written to its end`;
    const { first, last } = wanted(manifest);
    if (last < first) return `there is no chunk ${cursor}: the result has ${manifest.chunks} chunks, counted from 0`;
    const texts = Array.from({ length: last - first + 1 }, (_, index) => chunks.get(first + index));
    if (texts.includes(undefined)) return `the spilled result ${handle} is incomplete: chunks of it are missing`;
    const next = cursor + texts.length;
    return [
      `[spilled tool result: ${manifest.bytes} bytes, ${manifest.chunks} chunks]`,
      `chunks: ${first}-${last}`,
      `next_cursor: ${next}`,
      `complete: ${next >= manifest.chunks}`,
      "content:",
      texts.join(""),
    ].join("\n");
  },
});

interface Page {
  readonly cursor: number;
  readonly count: number;
  readonly fromEnd: boolean;
}

/** Inclusive; empty when the page lies outside. */
function rangeOf({ chunks }: Manifest, { cursor, count, fromEnd }: Page): { first: number; last: number } {
  const taken = Math.min(count, mostChunks);
  if (!fromEnd) return { first: cursor, last: Math.min(chunks, cursor + taken) - 1 };
  return { first: Math.max(0, chunks - cursor - taken), last: chunks - cursor - 1 };
}
