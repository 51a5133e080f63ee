import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tapeIdOf } from "../base/ids.ts";
import { createLogger } from "../base/log.ts";
import { FileInboxes, inboxIds } from "./inbox.ts";

const tape = tapeIdOf("/workspace", "cli:local");
const steer = { kind: "steer", payload: { content: "look" }, meta: {} } as const;

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "bub-inbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const logged: string[] = [];
  const log = createLogger({ write: (line) => logged.push(line) });
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => new Date(now) };
  const create = () => new FileInboxes({ folder, clock, log });
  const setClock = (time: number) => {
    now = time;
  };
  return { inboxes: create(), create, own: join(folder, tape), logged, setClock, now: () => now };
}

test("R1.8 an item is one private file that is whole when it has its name", async () => {
  const { inboxes, own } = setUp();
  const item = await inboxes.put(tape, steer);
  expect(readdirSync(own)).toEqual([`${item.id}.json`]);
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(statSync(join(own, `${item.id}.json`)).mode & 0o777).toBe(0o600);
});

test("R1.8 an item that cannot be read is left where it is and logged, the others come", async () => {
  const { inboxes, own, logged } = setUp();
  const first = await inboxes.put(tape, steer);
  writeFileSync(join(own, `${first.id}-broken.json`), '{"kind":"steer","payl');
  writeFileSync(join(own, `${first.id}-other.json`), '{"kind":"shout","payload":{}}');
  writeFileSync(join(own, `${first.id}.json.0a0b.tmp`), "on its way");
  const second = await inboxes.put(tape, steer);
  expect(await inboxes.list(tape)).toEqual([first, second]);
  expect(readdirSync(own)).toHaveLength(5);
  expect(logged).toHaveLength(2);
  expect(logged[0]).toContain("-broken.json");
});

test("R1.8 items of several processes sort by time of arrival, and a clock set back does not reorder one's own", async () => {
  const { inboxes, create, setClock, now } = setUp();
  const other = create();
  const put = [await inboxes.put(tape, steer)];
  setClock(now() + 1);
  put.push(await other.put(tape, steer));
  setClock(now() + 1);
  put.push(await inboxes.put(tape, steer));
  setClock(now() - 60_000);
  put.push(await inboxes.put(tape, steer));
  expect((await other.list(tape)).map(({ id }) => id)).toEqual(put.map(({ id }) => id));
});

test("R1.8 ids sort in order within one millisecond, too", () => {
  const next = inboxIds({ now: () => new Date("2026-01-01T00:00:00Z") });
  const ids = Array.from({ length: 2_000 }, next);
  expect([...ids].sort()).toEqual(ids);
});

test("R1.8 an item that another process leaves is noticed without looking", async () => {
  const { inboxes, create } = setUp();
  let wake = () => {};
  const called = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const stop = inboxes.watch(tape, wake);
  await create().put(tape, steer);
  await called;
  stop();
});
