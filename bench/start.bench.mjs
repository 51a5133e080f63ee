// Start-up against the floor of Node itself.
import { medianTimes } from "./measure.mjs";

const floor = { args: ["-e", "0"] };

export const rows = ["--version", "--help"].map((flag) => ({
  work: `\`bub ${flag}\``,
  goal: 1.6,
  goalText: "≤ 1.6 × node floor",
  measure() {
    const { node, bub } = medianTimes({ node: floor, bub: { args: ["dist/cli.js", flag] } });
    return {
      value: bub / node,
      text: `${(bub / node).toFixed(2)} × (${bub.toFixed(0)} ms, node ${node.toFixed(0)} ms)`,
    };
  },
}));
