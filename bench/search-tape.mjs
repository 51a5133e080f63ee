// Searches a large tape for what is not there, and reads the same file in the barest ways, in turns; prints milliseconds
// of each, and the megabytes that searching added to the process.
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { tapeIdOf } from "../src/base/ids.ts";
import { silentLogger } from "../src/base/log.ts";
import { createFileStorage } from "../src/tape/file-store.ts";
import { queryLog } from "../src/tape/query.ts";
import { searchTape } from "../src/tape/search.ts";
import { inTurns, median, now } from "./measure.mjs";

const [home = "", repository = "", megabytes = "100", rounds = "3", query = "orhcid"] = process.argv.slice(2);
const kinds = ["message", "tool_result"];
const chunkBytes = 256 * 1024;

const storage = createFileStorage({ home, fsync: "never", clock: systemClock, log: silentLogger });
const id = tapeIdOf("bench", "search");
const path = storage.tapes.locate(id);
// In a process of its own: its memory is not that of searching.
if (rounds === "write") {
  writeTape(path, Number(megabytes) * 1e6);
  process.exit();
}
execFileSync(process.execPath, [process.argv[1], home, repository, megabytes, "write"]);

const before = process.resourceUsage().maxRSS;
await substring();
await fuzzy();
const memory = (process.resourceUsage().maxRSS - before) / 1024;

const times = await inTurns(Number(rounds), {
  substring: () => timed(substring),
  indexOf: () => timed(bareIndexOf),
  fuzzy: () => timed(fuzzy),
  parse: () => timed(bareParse),
});
await storage[Symbol.asyncDispose]();
const medians = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
process.stdout.write(JSON.stringify({ ...medians, memory }));

async function substring() {
  await using log = await storage.tapes.open(id);
  for await (const _entry of queryLog(log, { text: query, kinds, newestFirst: true }))
    throw new Error("found something");
}

async function fuzzy() {
  await using log = await storage.tapes.open(id);
  const { matches } = await searchTape(log, { query, kinds, limit: 20 });
  if (matches.length > 0) throw new Error("found something");
}

function bareIndexOf() {
  eachChunk((chunk) => chunk.indexOf(query));
}

function bareParse() {
  let rest = "";
  eachChunk((chunk) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) JSON.parse(line);
  });
}

function eachChunk(see) {
  const file = openSync(path, "r");
  const { size } = fstatSync(file);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = 0; at < size; ) {
    const length = readSync(file, chunk, 0, chunkBytes, at);
    see(chunk.subarray(0, length));
    at += length;
  }
  closeSync(file);
}

async function timed(work) {
  const startedAt = now();
  await work();
  return now() - startedAt;
}

/** Steps of a session that reads this repository's own sources and pages. */
function writeTape(file, bytes) {
  mkdirSync(dirname(file), { recursive: true });
  const output = openSync(file, "w");
  const random = randomNumbers(20_261_130);
  const texts = [...textsBelow(join(repository, "src")), ...textsBelow(join(repository, "docs"))];
  const text = (length) => {
    const whole = texts[Math.floor(random() * texts.length)];
    const start = Math.floor(random() * Math.max(1, whole.length - length));
    return whole.slice(start, start + length);
  };
  let [lastId, written, batch] = [0, 0, ""];
  const put = (kind, payload, more = {}) => {
    lastId += 1;
    const meta = { run_id: `run-${hex(random)}`, turn_id: `turn-${hex(random)}`, ...more };
    batch += `${JSON.stringify({ id: lastId, kind, payload, meta, date: new Date(1.8e12 + lastId).toISOString() })}\n`;
  };
  while (written < bytes) {
    const call = { id: `call_${hex(random)}`, name: "bash" };
    if (lastId % 30 === 0) put("message", { role: "user", content: text(200) });
    put("tool_call", { calls: [{ ...call, arguments: { command: text(60) } }] });
    put("tool_result", { results: [text(200 + random() ** 2 * 12_000)] }, { calls: [{ ...call, status: "ok" }] });
    put("event", { name: "run", data: { status: "ok", usage: { input_tokens: lastId }, provider: "p", model: "m" } });
    if (batch.length < 1e6) continue;
    written += writeSync(output, batch);
    batch = "";
  }
  closeSync(output);
}

function textsBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((file) => {
    const path = join(folder, file.name);
    return file.isDirectory() ? textsBelow(path) : [readFileSync(path, "utf8")];
  });
}

function hex(random) {
  return Math.floor(random() * 2 ** 44)
    .toString(16)
    .padStart(12, "0");
}

function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}
