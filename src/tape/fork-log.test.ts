import { expect, test } from "vitest";
import type { TapeId } from "../base/ids.ts";
import { anchorDrafts, eventDraft, type TapeEntry } from "./entry.ts";
import { ForkLog } from "./fork-log.ts";
import { createMemoryStorage } from "./memory-store.ts";
import { Tape } from "./tape.ts";

const id = "parent" as TapeId;
const message = (content: string) => ({ kind: "message", payload: { role: "user", content } }) as const;

async function all(entries: AsyncIterable<TapeEntry>): Promise<[number, unknown][]> {
  const seen: [number, unknown][] = [];
  for await (const { id: entryId, payload } of entries) seen.push([entryId, payload.content ?? payload.name]);
  return seen;
}

async function world() {
  const storage = createMemoryStorage();
  const parent = await Tape.open(await storage.tapes.open(id));
  await parent.append([message("one"), message("two"), eventDraft("model_switch", { model: "a:b" }), message("three")]);
  const log = new ForkLog({ id: "fork" as TapeId, parent: await storage.tapes.open(id), upTo: 5 });
  return { storage, parent, log, fork: await Tape.open(log) };
}

test("R3.7 a fork reads its parent up to an id and then its own entries, whose ids go on without gaps", async () => {
  const { fork, log } = await world();
  expect(fork.facts.settings).toEqual({ model: "a:b" });
  await fork.append([message("own")]);
  const forward = await all(log.forward());
  expect(forward).toEqual([
    [1, "session/start"],
    [2, "handoff"],
    [3, "one"],
    [4, "two"],
    [5, "model_switch"],
    [6, "own"],
  ]);
  expect(await all(log.backward())).toEqual([...forward].reverse());
  expect(await all(log.forward({ after: 4, before: 6 }))).toEqual([[5, "model_switch"]]);
  expect(await all(log.backward({ after: 3, before: 6 }))).toEqual([
    [5, "model_switch"],
    [4, "two"],
  ]);
});

test("R3.7 later entries and a reset of the parent are not seen", async () => {
  const { parent, log } = await world();
  await parent.append([message("later")]);
  expect((await all(log.forward())).map(([, content]) => content)).not.toContain("later");
  await parent.replace([message("anew")]);
  expect((await all(log.forward())).at(-1)).toEqual([5, "model_switch"]);
});

test("R3.7 an anchor in a fork is the fork's alone, and a reset of it leaves the parent alone", async () => {
  const { parent, fork, log } = await world();
  await fork.append(anchorDrafts("mine", {}));
  expect(fork.lastAnchor?.payload.name).toBe("mine");
  expect(parent.lastAnchor?.payload.name).toBe("session/start");
  await fork.replace([message("fresh")]);
  expect(await all(log.forward())).toEqual([
    [1, "session/start"],
    [2, "handoff"],
    [3, "fresh"],
  ]);
  expect(parent.lastId).toBe(6);
});
