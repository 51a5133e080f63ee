import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newTaskId, tapeIdOf } from "../base/ids.ts";
import { createFileStorage } from "./file-store.ts";

const tape = tapeIdOf("/workspace", "cli:local");
const end = { kind: "notification", payload: { content: "done" }, meta: {}, data: { status: "completed" } } as const;

function homeFolder(): string {
  const home = mkdtempSync(join(tmpdir(), "bub-tasks-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test("R1.8 a running task is the file <home>/tasks/<tape>/<task_id>, and its end a file of the inbox", async () => {
  const home = homeFolder();
  const { tasks } = createFileStorage({ home });
  const id = newTaskId();
  await tasks.put(tape, id, { owner: "me" });
  expect(readdirSync(join(home, "tasks", tape))).toEqual([id]);
  const item = await tasks.finish(tape, id, end);
  expect(readdirSync(join(home, "tasks", tape))).toEqual([]);
  expect(readdirSync(join(home, "inbox", tape))).toEqual([`${item?.id}.json`]);
});

test("R1.8 an end that was written down but not told is found in the record", async () => {
  const home = homeFolder();
  const storage = createFileStorage({ home });
  const id = newTaskId();
  // A file where the inbox should be: the end cannot be told.
  writeFileSync(join(home, "inbox"), "");
  await storage.tasks.put(tape, id, { owner: "me" });
  await expect(storage.tasks.finish(tape, id, end)).rejects.toMatchObject({ kind: "config" });
  rmSync(join(home, "inbox"));
  const [record] = await createFileStorage({ home }).tasks.list(tape);
  expect(record).toEqual({ id, data: { owner: "me" }, ended: end });
  expect(await storage.tasks.finish(tape, id, end)).toMatchObject(end);
});

test("R1.8 half-written and foreign files are no tasks, and an unreadable record still is one", async () => {
  const home = homeFolder();
  const { tasks } = createFileStorage({ home });
  const folder = join(home, "tasks", tape);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "sub-00000001.abcdefabcdef.tmp"), "{");
  writeFileSync(join(folder, "notes.txt"), "");
  writeFileSync(join(folder, "sub-00000002"), "\0\0");
  expect(await tasks.list(tape)).toEqual([{ id: "sub-00000002", data: {} }]);
});

test("R1.8 a task that cannot be recorded says where", async () => {
  const home = homeFolder();
  writeFileSync(join(home, "tasks"), "");
  const { tasks } = createFileStorage({ home });
  await expect(tasks.put(tape, newTaskId(), {})).rejects.toThrow(`cannot record the task in ${join(home, "tasks")}`);
  expect(existsSync(join(home, "inbox"))).toBe(false);
});
