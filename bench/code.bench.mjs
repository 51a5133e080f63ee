// Python code mode: what a call of run_code costs beside the interpreter itself, and what a tool call from code costs.
import { atMost, median, ratio, shared } from "./measure.mjs";
import { benchFile, inWorld } from "./world.mjs";

const measured = shared(({ full }) =>
  inWorld((world) => JSON.parse(world.node(benchFile("run-code.mjs"), world.workspace, full ? 40 : 10).stdout)),
);

export const rows = [
  {
    name: "code",
    work: '`run_code("print(1)")`',
    goal: atMost(1.5, "× the real interpreter on the same line"),
    async measure(options) {
      const { code, python } = await measured(options);
      return ratio(median(code), median(python), "ms", ["", "interpreter "]);
    },
  },
  {
    name: "code-calls",
    work: "… 1,000 tool calls from code",
    goal: atMost(1, "s"),
    async measure(options) {
      const { calls } = await measured(options);
      const seconds = median(calls) / 1000;
      return { value: seconds, text: `${seconds.toFixed(2)} s` };
    },
  },
];

/** Where these rows stand in the table. */
export const place = 8;
