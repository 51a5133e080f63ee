// Sessions with a past: resuming one, what a request holds, and how far it repeats the one before.
import { appendFileSync, closeSync, copyFileSync, openSync, readFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { atLeast, atMost, inTurns, median, ratio, shared } from "./measure.mjs";
import { inWorld } from "./world.mjs";

const command = "true # #";

const resume = ({ full }) =>
  inWorld(async (world) => {
    await world.plan({ calls: full ? 1000 : 200, command });
    world.bub("run", "--session-id", "long", "hi");
    await world.plan();
    const times = await inTurns(full ? 21 : 5, {
      long: () => world.bub("run", "--session-id", "long", "hi").elapsedMs,
      empty: () => world.bub("run", "--new", "hi").elapsedMs,
    });
    return ratio(median(times.long), median(times.empty), "ms", ["", "empty "]);
  });

const requestSize = () =>
  inWorld(async (world) => {
    await world.plan();
    world.bub("run", "hi");
    const [{ bytes }] = await world.seen();
    return { value: bytes / 1024, text: `${(bytes / 1024).toFixed(1)} KB` };
  });

const prefixShare = ({ full }) =>
  inWorld(async (world) => {
    await world.plan({ calls: full ? 20 : 5, command, compares: true });
    for (const message of ["one", "two", ",tape.info", "three"]) world.bub("run", message);
    const shares = (await world.seen()).flatMap(({ share }) => share ?? []);
    const lowest = Math.min(...shares) * 100;
    return { value: lowest, text: `${lowest.toFixed(1)} % at the least, of ${shares.length} requests` };
  });

const listSessions = ({ full }) =>
  inWorld(async (world) => {
    await world.plan();
    world.bub("run", "hi");
    copyTape(world.tapeFile(), 3_000, (name) => world.tapeFile(name));
    const times = await inTurns(full ? 31 : 9, {
      list: () => world.bub("sessions", "--limit", "0").elapsedMs,
      node: () => world.node("-e", "0").elapsedMs,
    });
    return ratio(median(times.list), median(times.node));
  });

/** Gives the tape to so many sessions more, each on the list. */
function copyTape(path, count, pathOf) {
  const index = join(dirname(path), "index.jsonl");
  const record = JSON.parse(readFileSync(index, "utf8"));
  for (let made = 0; made < count; made += 1) {
    const session = `cli:${made.toString(16).padStart(8, "0")}`;
    const copy = pathOf(session);
    copyFileSync(path, copy);
    appendFileSync(index, `${JSON.stringify({ ...record, session, tape: basename(copy, ".jsonl") })}\n`);
  }
}

/** The end of a tape that `bub` wrote itself, behind as many old messages as make up the size. */
const hugeTape = shared(({ full }) =>
  inWorld(async (world) => {
    const bytes = full ? 1024 ** 3 : 128 * 1024 ** 2;
    await world.plan();
    world.bub("run", "--session-id", "huge", "hi");
    growTape(world.tapeFile("huge"), bytes);
    const firstRequest = async (...session) => {
      await world.plan();
      const { startedAt } = world.bub("run", ...session, "hi");
      return (await world.seen())[0].arrivedAt - startedAt;
    };
    const huge = ["--session-id", "huge"];
    const found = await inTurns(full ? 21 : 5, {
      huge: () => firstRequest(...huge),
      empty: () => firstRequest("--new"),
      hugeInfo: () => world.bub("run", ...huge, ",tape.info").elapsedMs,
      emptyInfo: () => world.bub("run", "--new", ",tape.info").elapsedMs,
      hugePeak: () => world.peakOf("run", ...huge, "hi"),
      emptyPeak: () => world.peakOf("run", "--new", "hi"),
      hugeInfoPeak: () => world.peakOf("run", ...huge, ",tape.info"),
      emptyInfoPeak: () => world.peakOf("run", "--new", ",tape.info"),
    });
    const middle = Object.fromEntries(Object.entries(found).map(([name, values]) => [name, median(values)]));
    const megabytes = (value) => ({ value, text: `${value.toFixed(1)} MB` });
    return {
      time: ratio(middle.huge, middle.empty, "ms", ["", "empty "]),
      memory: megabytes(middle.hugePeak - middle.emptyPeak),
      infoTime: ratio(middle.hugeInfo, middle.emptyInfo, "ms", ["", "empty "]),
      infoMemory: megabytes(middle.hugeInfoPeak - middle.emptyInfoPeak),
    };
  }),
);

function growTape(path, bytes) {
  const end = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [{ date }] = end;
  const file = openSync(path, "w");
  let id = 0;
  const old = { kind: "message", payload: { role: "user", content: "x".repeat(900) }, meta: {}, date };
  for (let written = 0; written < bytes; ) {
    let text = "";
    for (let line = 0; line < 4096; line += 1) text += `${JSON.stringify({ id: ++id, ...old })}\n`;
    written += writeSync(file, text);
  }
  writeSync(file, end.map((entry) => `${JSON.stringify({ ...entry, id: ++id })}\n`).join(""));
  closeSync(file);
}

export const rows = [
  {
    name: "resume",
    work: "resume of a 1,000-step session and one answer",
    goal: atMost(1.2, "× the same on an empty session"),
    measure: resume,
  },
  {
    name: "request-size",
    work: "first request with all built-in tools",
    goal: atMost(14, "KB"),
    measure: requestSize,
  },
  {
    name: "prefix",
    work: "requests: share of the previous one that is a byte prefix of the next, over steps, turns, restarts",
    goal: atLeast(100, "%"),
    measure: prefixShare,
  },
  {
    name: "huge-tape",
    work: "open a 1 GB tape whose last anchor is near its end, first request",
    goal: atMost(1.2, "× empty"),
    measure: async (options) => (await hugeTape(options)).time,
  },
  {
    name: "huge-tape-memory",
    work: "… memory beyond that of an empty one",
    goal: atMost(64, "MB"),
    measure: async (options) => (await hugeTape(options)).memory,
  },
  {
    name: "huge-tape-info",
    work: "`tape.info` of it",
    goal: atMost(1.2, "× empty"),
    measure: async (options) => (await hugeTape(options)).infoTime,
  },
  {
    name: "huge-tape-info-memory",
    work: "… memory beyond that of an empty one",
    goal: atMost(64, "MB"),
    measure: async (options) => (await hugeTape(options)).infoMemory,
  },
  {
    name: "sessions",
    work: "list 3,000 sessions",
    goal: atMost(3.9, "× node floor, which is 100 ms over one of 34 ms"),
    measure: listSessions,
  },
];

/** Where these rows stand in the table. */
export const place = 3;
