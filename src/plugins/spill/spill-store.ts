// How a spilled result lies on its sidecar: chunks in order, then the manifest that makes them one.
import { createHash } from "node:crypto";
import { eventData, eventDraft, type TapeEntry } from "../../tape/entry.ts";
import type { Tape } from "../../tape/tape.ts";

export const sidecarName = "spill";
/** The most UTF-8 bytes of one chunk. */
export const chunkBytes = 16_384;
/** Chunks that are written at once. */
const batchSize = 64;

const chunkEvent = "spill.chunk";
const manifestEvent = "spill.manifest";

export interface Manifest {
  readonly handle: string;
  /** UTF-8 bytes of the whole text. */
  readonly bytes: number;
  readonly chunks: number;
  readonly tool: string;
}

const writes = new WeakMap<Tape, Promise<unknown>>();

/** Writes a text; several at once are written one after the other, so that the chunks of each stand together. */
export function writeSpill(tape: Tape, text: string, tool: string): Promise<Manifest> {
  const before = writes.get(tape) ?? Promise.resolve();
  const written = before.catch(() => undefined).then(() => write(tape, text, tool));
  writes.set(tape, written);
  return written;
}

async function write(tape: Tape, text: string, tool: string): Promise<Manifest> {
  // The same text has the same handle: a call that is repeated has the same result, and requests stay equal.
  const handle = createHash("sha256").update(text).digest("hex").slice(0, 32);
  const last = await lastManifest(tape);
  if (last?.handle === handle) return last;
  const chunks = splitText(text);
  const drafts = chunks.map((chunk, index) => eventDraft(chunkEvent, { handle, index, text: chunk }));
  for (let start = 0; start < drafts.length; start += batchSize) {
    await tape.append(drafts.slice(start, start + batchSize));
  }
  const manifest = { handle, bytes: Buffer.byteLength(text), chunks: chunks.length, tool };
  await tape.append([eventDraft(manifestEvent, { ...manifest })]);
  return manifest;
}

/** The newest one, where nothing follows it. */
async function lastManifest(tape: Tape): Promise<Manifest | undefined> {
  for await (const entry of tape.backward()) return readManifest(entry);
  return undefined;
}

/** Pieces of at most `chunkBytes` bytes that never split a character; at least one. */
export function splitText(text: string): string[] {
  const bytes = Buffer.from(text, "utf8");
  const chunks: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(bytes.length, start + chunkBytes);
    while (end < bytes.length && isContinuation(bytes[end])) end--;
    chunks.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return chunks.length === 0 ? [""] : chunks;
}

export interface FoundSpill {
  /** Absent: the spill was never finished. */
  readonly manifest: Manifest | undefined;
  readonly chunks: ReadonlyMap<number, string>;
}

/**
 * Looks for a spill from the newest entry back, and takes the chunks that `wanted` names for its manifest.
 * @returns undefined when nothing of that handle is there
 */
export async function findSpill(
  tape: Tape,
  handle: string,
  wanted: (manifest: Manifest) => { first: number; last: number },
  signal: AbortSignal,
): Promise<FoundSpill | undefined> {
  let manifest: Manifest | undefined;
  let range = { first: 0, last: -1 };
  let isCut = false;
  const chunks = new Map<number, string>();
  for await (const entry of tape.query({ text: handle, kinds: ["event"], newestFirst: true }, { signal })) {
    const found = readManifest(entry);
    if (found?.handle === handle) {
      manifest = found;
      range = wanted(found);
      if (range.last < range.first) break;
    }
    const chunk = eventData(entry, chunkEvent);
    if (chunk?.handle !== handle) continue;
    // Cut short when it was written; the same text may have been written to its end before.
    if (manifest === undefined) {
      isCut = true;
      continue;
    }
    const index = Number(chunk.index);
    if (index >= range.first && index <= range.last) chunks.set(index, String(chunk.text));
    if (index <= range.first) break;
  }
  return manifest === undefined && !isCut ? undefined : { manifest, chunks };
}

function readManifest(entry: TapeEntry): Manifest | undefined {
  const data = eventData(entry, manifestEvent);
  if (data === undefined || typeof data.handle !== "string") return undefined;
  return { handle: data.handle, bytes: Number(data.bytes), chunks: Number(data.chunks), tool: String(data.tool) };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
