// Appends entries of 1 KB one by one to a tape that is held as in a run, and the same lines by bare writes, in turns;
// prints the microseconds of one entry of each.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { tapeIdOf } from "../src/base/ids.ts";
import { silentLogger } from "../src/base/log.ts";
import { createFileStorage } from "../src/tape/file-store.ts";
import { Tape } from "../src/tape/tape.ts";
import { inTurns, median, now } from "./measure.mjs";

const [home = "", rounds = "10"] = process.argv.slice(2);
const entriesInRound = 1_000;
const draft = { kind: "message", payload: { role: "user", content: "word ".repeat(170) } };

const storage = createFileStorage({ home, fsync: "never", clock: systemClock, log: silentLogger });
const id = tapeIdOf("bench", "append");
const lease = await storage.leases.acquire(id, { sessionId: "append", signal: new AbortController().signal });
const tape = await Tape.open(await storage.tapes.open(id), { lease });
await tape.append([draft]);
const lines = linesOf(storage.tapes.locate(id), entriesInRound);
const raw = openSync(join(home, "raw"), "a");

const times = await inTurns(Number(rounds), {
  tape: () =>
    timed(async () => {
      for (let count = 0; count < entriesInRound; count += 1) await tape.append([draft]);
    }),
  raw: () =>
    timed(async () => {
      for (const line of lines) writeSync(raw, line);
    }),
});

closeSync(raw);
await tape.close();
await lease[Symbol.asyncDispose]();
await storage[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify({ tape: median(times.tape), raw: median(times.raw) }));

/** The tape's last line, as often as asked. */
function linesOf(path, count) {
  const last = `${readFileSync(path, "utf8").trimEnd().split("\n").at(-1)}\n`;
  return Array.from({ length: count }, () => last);
}

async function timed(work) {
  const startedAt = now();
  await work();
  return ((now() - startedAt) * 1000) / entriesInRound;
}
