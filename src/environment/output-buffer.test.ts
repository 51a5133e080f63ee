import { closeSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { OutputBuffer } from "./output-buffer.ts";

const directory = mkdtempSync(join(tmpdir(), "bub-output-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const MiB = 1024 * 1024;

async function fill(output: OutputBuffer, bytes: Uint8Array, chunkBytes = 65_536): Promise<void> {
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    await output.push(bytes.subarray(start, start + chunkBytes));
  }
  output.end();
}

/** Numbered lines with characters of one to four bytes. */
function numberedText(bytes: number): Buffer {
  let text = "";
  for (let line = 0; text.length < bytes; line++) text += `${line} é☕😀 ${"x".repeat(line % 50)}\n`;
  return Buffer.from(text);
}

interface Whole {
  points: string[];
  /** First dropped code point, and the first kept one after it. */
  gap: [number, number];
}

function wholeOf(bytes: Buffer, maxBytes: number): Whole {
  const points = [...bytes.toString()];
  if (bytes.length <= maxBytes) return { points, gap: [points.length, points.length] };
  const head = Math.floor(maxBytes / 2);
  const tail = bytes.length - (maxBytes - head);
  let [gapFrom, gapTo, position] = [0, points.length, 0];
  points.forEach((point, index) => {
    if (position >= tail && gapTo > index) gapTo = index;
    position += Buffer.byteLength(point);
    if (position <= head) gapFrom = index + 1;
  });
  return { points, gap: [gapFrom, gapTo] };
}

/** What T2.8 asks for, from the whole text at once. */
function expectedRead({ points, gap: [gapFrom, gapTo] }: Whole, offset: number, limit: number) {
  const at = Math.min(Math.max(0, offset), points.length);
  if (at < gapFrom && at + limit <= gapFrom) return { text: points.slice(at, at + limit).join(""), next: at + limit };
  let text = points.slice(at, Math.max(at, gapFrom)).join("");
  let left = limit - Math.max(0, gapFrom - at);
  let next = Math.max(at, gapFrom);
  if (next < gapTo && left > 0) {
    const note = `[${gapTo - next} characters dropped]`;
    if (text !== "" && note.length > left) return { text, next };
    text += note;
    left = Math.max(0, left - note.length);
    next = gapTo;
  }
  if (next < gapTo) return { text, next };
  const rest = points.slice(next, next + left);
  return { text: text + rest.join(""), next: next + rest.length };
}

describe("T2.5 reading by code points", () => {
  test("T2.5 offsets are code points, clamped, and limit bounds what comes back", async () => {
    const output = new OutputBuffer({ maxBytes: MiB, directory });
    output.push(Buffer.from("aé☕😀z"));
    expect(output.length).toBe(5);
    expect(await output.read({ offset: 1, limit: 3 })).toEqual({ text: "é☕😀", nextOffset: 4 });
    expect(await output.read({ offset: -7, limit: 1 })).toEqual({ text: "a", nextOffset: 1 });
    expect(await output.read({ offset: 99 })).toEqual({ text: "", nextOffset: 5 });
    expect(await output.read({ offset: 2, limit: 0 })).toEqual({ text: "", nextOffset: 2 });
    expect(await output.read()).toEqual(await output.read());
    await output.close();
  });

  test("T2.8 any output, cap, offset and limit read as the whole text says, in memory", async () => {
    const text = fc.string({ unit: "binary", maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: -3, max: 130 }),
        fc.nat(130),
        fc.integer({ min: 1, max: 9 }),
        async (text, maxBytes, offset, limit, chunkBytes) => {
          const bytes = Buffer.from(text);
          const output = new OutputBuffer({ maxBytes, directory });
          await fill(output, bytes, chunkBytes);
          const slice = await output.read({ offset, limit });
          const expected = expectedRead(wholeOf(bytes, maxBytes), offset, limit);
          expect(slice).toEqual({ text: expected.text, nextOffset: expected.next });
          await output.close();
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    ["kept whole", 8 * MiB],
    ["with a gap", 1.5 * MiB],
  ])("T2.8 long output goes to disk and reads the same, %s", async (_name, maxBytes) => {
    const bytes = numberedText(3 * MiB);
    const output = new OutputBuffer({ maxBytes, directory });
    await fill(output, bytes, 50_021);
    expect(readdirSync(directory)).toEqual([]);
    const whole = wholeOf(bytes, maxBytes);
    const { length } = whole.points;
    expect(output.length).toBe(length);
    for (const offset of [0, 1, 300_000, 400_000, length / 2, length - 400_000, length - 9, length]) {
      for (const limit of [10, 200_000, length]) {
        const expected = expectedRead(whole, Math.floor(offset), limit);
        const slice = await output.read({ offset, limit });
        expect(slice.nextOffset).toBe(expected.next);
        expect(slice.text === expected.text, `offset ${offset}, limit ${limit}`).toBe(true);
      }
    }
    await output.close();
  });

  test("T2.8 reading on by next_offset meets each kept character once and the gap once", async () => {
    const bytes = numberedText(2.5 * MiB);
    const output = new OutputBuffer({ maxBytes: MiB, directory });
    await fill(output, bytes);
    let text = "";
    for (let offset = 0; offset < output.length; ) {
      const slice = await output.read({ offset, limit: 100_000 });
      expect(slice.nextOffset).toBeGreaterThan(offset);
      text += slice.text;
      offset = slice.nextOffset;
    }
    const [, dropped] = /\[(\d+) characters dropped\]/.exec(text) ?? [];
    expect([...text].length - `[${dropped} characters dropped]`.length + Number(dropped)).toBe(output.length);
    expect(bytes.toString().startsWith(text.slice(0, 100_000))).toBe(true);
    expect(bytes.toString().endsWith(text.slice(-100_000))).toBe(true);
    await output.close();
  });

  test("T2.8 a read while the output goes on is consistent", async () => {
    const bytes = numberedText(6 * MiB);
    const output = new OutputBuffer({ maxBytes: 2 * MiB, directory });
    const reads: Promise<void>[] = [];
    for (let start = 0; start < bytes.length; start += 65_536) {
      await output.push(bytes.subarray(start, start + 65_536));
      const lineAt = output.length - 3_000;
      reads.push(
        output.read({ offset: lineAt, limit: 2_000 }).then(({ text }) => {
          expect(text).not.toContain("\uFFFD");
          expect(text).toMatch(/\n\d+ é☕😀 x*\n/);
        }),
      );
    }
    await Promise.all(reads);
    await output.close();
  });
});

describe("T2.8 a disk that takes no more", () => {
  test("T2.8 keeps the first and the newest output and says why the rest is gone", async () => {
    const problems: unknown[] = [];
    const output = new OutputBuffer({
      maxBytes: 64 * MiB,
      directory,
      onProblem: (error) => problems.push(error),
      openFile: () => openSync("/dev/full", "w+"),
    });
    const bytes = Buffer.from("0123456789".repeat(400_000));
    await fill(output, bytes);
    const { text, nextOffset } = await output.read();
    expect(nextOffset).toBe(bytes.length);
    expect(text).toMatch(/^(0123456789)+\d*\[\d+ characters dropped\]\n\[output could not be stored: ENOSPC[^\]]*\]/);
    expect(text.endsWith("0123456789".repeat(1000))).toBe(true);
    expect(problems).toHaveLength(1);
    await output.close();
  });

  test("T2.8 a folder that cannot be made loses the middle only", async () => {
    const output = new OutputBuffer({ maxBytes: 64 * MiB, directory: "/dev/null/shells" });
    await fill(output, Buffer.alloc(4 * MiB, "a"));
    const { text } = await output.read();
    expect(text).toMatch(/^a+\[\d+ characters dropped\]\n\[output could not be stored: ENOTDIR[^\]]*\]a+$/);
    await output.close();
  });

  test("T2.8 waits for a slow disk and frees its file at the end", async () => {
    let file = -1;
    const openFile = (folder: string) => {
      file = openSync(join(folder, "spool"), "w+");
      rmSync(join(folder, "spool"));
      return file;
    };
    const output = new OutputBuffer({ maxBytes: 64 * MiB, directory, openFile });
    const chunk = Buffer.alloc(65_536, "b");
    let waited = 0;
    for (let count = 0; count < 100; count++) {
      const wait = output.push(chunk);
      if (wait !== undefined) waited++;
      await wait;
    }
    expect(waited).toBeGreaterThan(0);
    await output.close();
    expect(() => closeSync(file)).toThrow(/EBADF/);
  });
});
