// The loop of model call and shell command: what a step takes, and that it stays so.
import { statSync } from "node:fs";
import { atMost, inTurns, median, ratio, shared } from "./measure.mjs";
import { benchFile, cliFile, gapsOf, inWorld } from "./world.mjs";

const command = "true # #";
const steps = 50;

const shortLoops = shared(({ full }) =>
  inWorld(async (world) => {
    await world.plan({ calls: steps, command });
    const gaps = await inTurns(full ? 9 : 3, {
      bub: async () => {
        await world.plan({ calls: steps, command });
        world.bub("run", "--new", "hi");
        return gapsOf(await world.seen());
      },
      spawn: () => JSON.parse(world.node(benchFile("spawn-bash.mjs"), steps).stdout),
    });
    return ratio(median(gaps.bub.flat()), median(gaps.spawn.flat()), "ms", ["", "spawn "]);
  }),
);

/** Per step: a run of many steps without a run of none, so that starting does not count. */
const cpu = shared(({ full }) =>
  inWorld(async (world) => {
    const bub = () => world.cpuOf(cliFile, "run", "--new", "hi");
    const byHand = () => world.cpuOf(benchFile("hand-loop.mjs"), world.url);
    const planned = (calls, run) => async () => {
      await world.plan({ calls, command });
      return run();
    };
    const times = await inTurns(full ? 9 : 3, {
      bub: planned(steps, bub),
      byHand: planned(steps, byHand),
      bubWithout: planned(0, bub),
      byHandWithout: planned(0, byHand),
    });
    const perStep = (loop, without) => (median(times[loop]) - median(times[without])) / steps;
    return ratio(perStep("bub", "bubWithout"), perStep("byHand", "byHandWithout"), "ms", ["", "by hand "]);
  }),
);

const longLoop = shared(({ full }) =>
  inWorld(async (world) => {
    const calls = full ? 1000 : 200;
    const runs = [];
    for (let round = 0; round < (full ? 3 : 1); round += 1) {
      await world.plan({ calls, command });
      world.bub("run", "--session-id", `loop-${round}`, "hi");
      const gaps = gapsOf(await world.seen());
      const tapeBytes = statSync(world.tapeFile(`loop-${round}`)).size;
      runs.push({ first: gaps.slice(0, 10), last: gaps.slice(-10), perStep: tapeBytes / calls });
    }
    const all = (part) => median(runs.flatMap((run) => run[part]));
    return { calls, gaps: ratio(all("last"), all("first"), "ms", ["", "first "]), perStep: runs[0].perStep };
  }),
);

export const rows = [
  {
    name: "loop",
    work: `${steps}-step loop of \`bash 'true # <n>'\`: client time between two model calls`,
    goal: atMost(2, "× spawning `bash -c true` from node"),
    measure: shortLoops,
  },
  {
    name: "loop-cpu",
    work: "… CPU per step, start-up aside",
    goal: atMost(2, "× the same loop by hand"),
    measure: cpu,
  },
  {
    name: "long-loop",
    work: "1,000-step loop: last ten gaps / first ten",
    goal: atMost(1.3, "×"),
    measure: async (options) => (await longLoop(options)).gaps,
  },
  {
    name: "tape-bytes",
    work: "… tape bytes a step",
    goal: atMost(1000, "bytes"),
    measure: async (options) => {
      const { perStep } = await longLoop(options);
      return { value: perStep, text: `${perStep.toFixed(0)} bytes` };
    },
  },
];

/** Where these rows stand in the table. */
export const place = 2;
