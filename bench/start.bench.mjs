// Starting, against the floor of Node itself.
import { atMost, inTurns, median, ratio, shared } from "./measure.mjs";
import { inWorld } from "./world.mjs";

const nodeFloor = "node floor";

function flagRow(flag) {
  return {
    name: flag.replace("--", ""),
    work: `\`bub ${flag}\``,
    goal: atMost(1.6, `× ${nodeFloor}`),
    measure: ({ full }) =>
      inWorld(async (world) => {
        const times = await inTurns(full ? 31 : 9, {
          bub: () => world.bub(flag).elapsedMs,
          node: () => world.node("-e", "0").elapsedMs,
        });
        return ratio(median(times.bub), median(times.node));
      }),
  };
}

const oneShot = shared(({ full }) =>
  inWorld(async (world) => {
    const times = await inTurns(full ? 31 : 9, {
      bub: async () => {
        await world.plan();
        const { startedAt, elapsedMs } = world.bub("run", "--new", "hi");
        const [{ arrivedAt }] = await world.seen();
        return { whole: elapsedMs, first: arrivedAt - startedAt };
      },
      node: () => world.node("-e", "0").elapsedMs,
    });
    const floor = median(times.node);
    return {
      whole: ratio(median(times.bub.map(({ whole }) => whole)), floor),
      first: ratio(median(times.bub.map(({ first }) => first)), floor),
    };
  }),
);

export const rows = [
  flagRow("--version"),
  flagRow("--help"),
  {
    name: "run",
    work: '`bub run "hi"`, whole process',
    goal: atMost(4, `× ${nodeFloor}`),
    measure: async (options) => (await oneShot(options)).whole,
  },
  {
    name: "first-request",
    work: "… start to first request",
    goal: atMost(3.2, `× ${nodeFloor}`),
    measure: async (options) => (await oneShot(options)).first,
  },
  {
    name: "memory",
    work: "… peak memory",
    goal: atMost(90, "MB"),
    measure: ({ full }) =>
      inWorld(async (world) => {
        await world.plan();
        const { bub } = await inTurns(full ? 9 : 3, { bub: () => world.peakOf("run", "--new", "hi") });
        return { value: median(bub), text: `${median(bub).toFixed(0)} MB` };
      }),
  },
];

/** Where these rows stand in the table. */
export const place = 1;
