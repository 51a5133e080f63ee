import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { type Block, blocksBackward, blocksForward } from "./line-reader.ts";

const folder = mkdtempSync(join(tmpdir(), "bub-lines-"));

function fileWith(content: string | Buffer): { fd: number; size: number } {
  const path = join(folder, "lines");
  writeFileSync(path, content);
  const fd = openSync(path, "r");
  onTestFinished(() => rmSync(path, { force: true }));
  return { fd, size: Buffer.byteLength(content) };
}

async function collect(blocks: AsyncIterable<Block>): Promise<{ text: string; offset: number }[]> {
  const all = [];
  for await (const { bytes, offset } of blocks) all.push({ text: bytes.toString("latin1"), offset });
  return all;
}

const line = fc.oneof(
  { weight: 5, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 700_000 }).map((length) => "y".repeat(length)) },
);

test("R3.5 blocks hold whole lines, and together the whole file, from either end", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (lines) => {
      const text = lines.join("\n");
      const { fd, size } = fileWith(text);
      const forward = await collect(blocksForward(fd, { size }));
      const backward = await collect(blocksBackward(fd, { size }));
      closeSync(fd);
      const whole = Buffer.from(text).toString("latin1");
      for (const blocks of [forward, backward.reverse()]) {
        expect(blocks.map((block) => block.text).join("") === whole).toBe(true);
        for (const { text: block, offset } of blocks) {
          expect(whole.startsWith(block, offset)).toBe(true);
          expect(offset === 0 || whole[offset - 1] === "\n").toBe(true);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("R3.5 the end of a file is read without its beginning, and forward from any line", async () => {
  const text = `${"0123456789abcde\n".repeat(100_000)}last\n`;
  const { fd, size } = fileWith(text);
  const [first] = await collect(takeOne(blocksBackward(fd, { size })));
  expect(first?.text.endsWith("last\n")).toBe(true);
  expect(first?.text.length).toBeLessThanOrEqual(64 * 1024);
  const rest = await collect(blocksForward(fd, { size, from: size - 21 }));
  expect(rest).toEqual([{ text: "0123456789abcde\nlast\n", offset: size - 21 }]);
  closeSync(fd);
});

test("R3.1 only 0x0A ends a line", async () => {
  const text = "a\r\u2028\u2029\u0085\f\vb\nc";
  const { fd, size } = fileWith(text);
  const [block] = await collect(blocksForward(fd, { size }));
  closeSync(fd);
  expect(block?.text.split("\n")).toHaveLength(2);
});

async function* takeOne<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  for await (const value of values) {
    yield value;
    return;
  }
}
