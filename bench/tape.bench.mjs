// Appending to a tape, against the bare write of the same lines, and searching it, against the barest ways to read it.
import { join } from "node:path";
import { atLeast, atMost, ratio, shared } from "./measure.mjs";
import { inWorld } from "./world.mjs";

const repository = new URL("..", import.meta.url).pathname;

/** The tape is no public part of the package: a script that uses it is bundled for this alone. Answers what it prints. */
async function run(world, name, ...words) {
  const { build } = await import("esbuild");
  const script = join(world.folder, name);
  await build({
    entryPoints: [new URL(name, import.meta.url).pathname],
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
  return JSON.parse(world.node(script, world.home, ...words).stdout);
}

const append = ({ full }) =>
  inWorld(async (world) => {
    const { tape, raw } = await run(world, "append-entries.mjs", full ? 40 : 10);
    const text = `${(raw / tape).toFixed(2)} × (${tape.toFixed(1)} µs an entry, raw ${raw.toFixed(1)} µs)`;
    return { value: raw / tape, text };
  });

const searched = shared(({ full }) =>
  inWorld((world) =>
    run(world, "search-tape.mjs", repository, full ? 1_000 : 100, full ? 5 : 3, "handkerchief chandelier"),
  ),
);

const search = (name, bare) => async (options) => {
  const found = await searched(options);
  return ratio(found[name], found[bare], "ms", ["", `${bare} `]);
};

export const rows = [
  {
    name: "append",
    work: "append (one writer, no fsync), 1 KB entries",
    goal: atLeast(0.5, "× raw `fs.writeSync` of the same lines"),
    measure: append,
  },
  {
    name: "search",
    work: "`tape.search` without a hit over 1 GB, substring only",
    goal: atMost(5, "× chunked `Buffer.indexOf` of the file"),
    measure: search("substring", "indexOf"),
  },
  {
    name: "search-fuzzy",
    work: "… fuzzy on",
    goal: atMost(3, "× chunked `JSON.parse` of every line"),
    measure: search("fuzzy", "parse"),
  },
  {
    name: "search-memory",
    work: "… memory that searching adds",
    goal: atMost(64, "MB"),
    async measure(options) {
      const { memory } = await searched(options);
      return { value: memory, text: `${memory.toFixed(0)} MB` };
    },
  },
];

/** Where these rows stand in the table. */
export const place = 4;
