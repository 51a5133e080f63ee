import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../base/clock.ts";
import { tapeIdOf } from "../base/ids.ts";
import { FileLog, type FsyncPolicy } from "./file-log.ts";

const disk = vi.hoisted(() => ({ syncs: 0 }));

vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  const fdatasync: typeof original.fdatasync.__promisify__ | unknown = (fd: number, done: (error: null) => void) => {
    disk.syncs++;
    original.fdatasync(fd, done as never);
  };
  return { ...original, fdatasync };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bub-fsync-"));
  disk.syncs = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (id: number) => ({ id, kind: "event" as const, payload: { name: "x" }, meta: {}, date: "2026-11-30" });

/** Two batches with a sync between them and one behind; answers the count after each. */
async function syncsOf(fsync: FsyncPolicy): Promise<number[]> {
  const options = { id: tapeIdOf("/work", "s"), path: join(folder, "tape.jsonl"), fsync, clock: systemClock };
  await using log = new FileLog(options);
  const counts: number[] = [];
  const count = () => void counts.push(disk.syncs);
  await log.append([entry(1), entry(2)]);
  count();
  await log.sync();
  count();
  await log.append([entry(3)]);
  count();
  await log.sync();
  count();
  return counts;
}

test.each([
  ["step", [0, 1, 1, 2]],
  ["always", [1, 1, 2, 2]],
  ["never", [0, 0, 0, 0]],
] as const)("R3.3 BUB_TAPE_FSYNC=%s brings a tape onto the disk %o times", async (policy, counts) => {
  expect(await syncsOf(policy)).toEqual(counts);
});
