// `tape.handoff`: an anchor that the default context begins after.
import * as v from "valibot";
import { carriedDrafts } from "../../tape/carried.ts";
import { anchorDrafts } from "../../tape/entry.ts";
import { defineTool } from "../../tools/define-tool.ts";

export const tapeHandoff = defineTool({
  name: "tape.handoff",
  description: "Set an anchor: later context starts here. Put what is still needed into summary.",
  exclusive: true,
  input: v.strictObject({
    name: v.optional(v.pipe(v.string(), v.nonEmpty(), v.description("anchor name")), "handoff"),
    summary: v.optional(v.pipe(v.string(), v.description("kept in the anchor's state")), ""),
  }),
  async run({ name, summary }, { turn }): Promise<{ anchor: string }> {
    // One batch: the conversation is whole before and after it, whatever happens in between. The copies are made when the
    // results of earlier calls stand on the tape, also those that are being written now.
    await turn.tape.append((recent) => [...anchorDrafts(name, { summary }), ...carriedDrafts(recent, turn.turnId)]);
    return { anchor: name };
  },
  render: ({ anchor }) => `anchor added: ${anchor}`,
});
