// Shell commands that print a lot, at once and again and again.
import { join } from "node:path";
import { atMost, inTurns, median, ratio, shared } from "./measure.mjs";
import { benchFile, gapsOf, inWorld } from "./world.mjs";

const flood = shared(({ full }) =>
  inWorld(async (world) => {
    const bytes = full ? 1024 ** 3 : 128 * 1024 ** 2;
    const command = `yes 0123456789abcdef0123456789abcdef0123456789abcdef | head -c ${bytes}`;
    const plan = { calls: 1, command, arguments: { timeout_seconds: 600 } };
    const found = await inTurns(full ? 5 : 2, {
      bub: async () => {
        await world.plan(plan);
        world.bub("run", "--new", "hi");
        return gapsOf(await world.seen())[0];
      },
      file: () => world.elapsedOf("bash", "-c", `${command} >"$0"`, join(world.folder, "flood")),
      floodPeak: async () => {
        await world.plan(plan);
        return world.peakOf("run", "--new", "hi");
      },
      quietPeak: async () => {
        await world.plan({ calls: 1, command: "true" });
        return world.peakOf("run", "--new", "hi");
      },
    });
    const more = median(found.floodPeak) - median(found.quietPeak);
    return {
      time: ratio(median(found.bub), median(found.file), "ms", ["", "to a file "]),
      memory: { value: more, text: `${more.toFixed(1)} MB` },
    };
  }),
);

const growth = ({ full }) =>
  inWorld(async (world) => {
    const turns = full ? 500 : 200;
    await world.plan({ calls: 1, command: "head -c 16384 /dev/zero | tr '\\0' x; echo #" });
    const { stdout } = world.node("--expose-gc", benchFile("many-turns.mjs"), world.workspace, turns);
    const perTurn = Number(stdout);
    return { value: perTurn, text: `${perTurn.toFixed(3)} MB` };
  });

export const rows = [
  {
    name: "flood",
    work: "bash printing 1 GB",
    goal: atMost(3, "× `bash -c … > file`"),
    measure: async (options) => (await flood(options)).time,
  },
  {
    name: "flood-memory",
    work: "… memory beyond that of a command that prints nothing",
    goal: atMost(64, "MB"),
    measure: async (options) => (await flood(options)).memory,
  },
  {
    name: "growth",
    work: "500 turns of 16 KB output in one process: memory growth a turn",
    goal: atMost(0.2, "MB"),
    measure: growth,
  },
];

/** Where these rows stand in the table. */
export const place = 5;
