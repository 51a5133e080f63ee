// `tape.anchors`: the names of all anchors, in recording order.
import { defineTool } from "../../tools/define-tool.ts";

interface Anchors {
  readonly anchors: readonly string[];
}

export const tapeAnchors = defineTool({
  name: "tape.anchors",
  description: "List the tape's anchor names in recording order.",
  async run(_args, { turn, signal }): Promise<Anchors> {
    const anchors: string[] = [];
    for await (const { payload } of turn.tape.query({ kinds: ["anchor"] }, { signal }))
      anchors.push(String(payload.name));
    return { anchors };
  },
  render: ({ anchors }) => (anchors.length === 0 ? "(no anchors)" : anchors.map((name) => `- ${name}`).join("\n")),
});
