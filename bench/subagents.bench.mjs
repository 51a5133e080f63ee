// Many subagents of one turn, with their records, their queue and their messages.
import { atMost, median } from "./measure.mjs";
import { benchFile, inWorld } from "./world.mjs";

const many = ({ full }) =>
  inWorld((world) => {
    const count = full ? 1000 : 200;
    const times = Array.from({ length: full ? 3 : 1 }, () =>
      Number(world.node(benchFile("many-subagents.mjs"), world.workspace, count).stdout),
    );
    const value = median(times);
    return { value, text: `${value.toFixed(2)} ms each` };
  });

export const rows = [
  {
    name: "subagents",
    work: "1,000 subagents of one instant step, 4 at once",
    goal: atMost(5, "ms each"),
    measure: many,
  },
];

/** Where these rows stand in the table. */
export const place = 7;
