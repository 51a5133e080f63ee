// Appending to a tape, against the bare write of the same lines.
import { join } from "node:path";
import { atLeast } from "./measure.mjs";
import { inWorld } from "./world.mjs";

/** The tape is no public part of the package: it is bundled for this alone. */
const append = ({ full }) =>
  inWorld(async (world) => {
    const { build } = await import("esbuild");
    const script = join(world.folder, "append.mjs");
    await build({
      entryPoints: [new URL("append-entries.mjs", import.meta.url).pathname],
      outfile: script,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      logLevel: "warning",
    });
    const { stdout } = world.node(script, world.home, full ? 40 : 10);
    const { tape, raw } = JSON.parse(stdout);
    const text = `${(raw / tape).toFixed(2)} × (${tape.toFixed(1)} µs an entry, raw ${raw.toFixed(1)} µs)`;
    return { value: raw / tape, text };
  });

export const rows = [
  {
    name: "append",
    work: "append (one writer, no fsync), 1 KB entries",
    goal: atLeast(0.5, "× raw `fs.writeSync` of the same lines"),
    measure: append,
  },
];

/** Where these rows stand in the table. */
export const place = 4;
