// `tape.reset`: begins the tape and its sidecars anew; the running turn goes on.
import * as v from "valibot";
import type { Turn } from "../../kernel/turn-state.ts";
import { carriedDrafts } from "../../tape/carried.ts";
import type { Tape } from "../../tape/tape.ts";
import { defineTool } from "../../tools/define-tool.ts";

interface ResetValue {
  readonly message: string;
  readonly archive?: string;
}

export const tapeReset = defineTool({
  name: "tape.reset",
  description: "Clear the tape and begin anew; archive=true keeps a copy first.",
  exclusive: true,
  input: v.strictObject({ archive: v.optional(v.pipe(v.boolean(), v.description("keep a copy")), false) }),
  async run({ archive }, { turn: { tape, turnId }, turn }): Promise<ResetValue> {
    const sidecars = await (turn as Turn).sidecars();
    const copy = archive ? await archiveAll([tape, ...sidecars]) : undefined;
    await tape.replace((recent) => carriedDrafts(recent, turnId));
    for (const sidecar of sidecars) await sidecar.replace([]);
    return copy === undefined ? { message: "ok" } : { message: `Archived: ${copy}`, archive: copy };
  },
  render: ({ message }) => message,
});

/** Copies all before anything is cleared. @returns the place of the first tape's copy */
async function archiveAll(tapes: readonly Tape[]): Promise<string | undefined> {
  const copies: (string | undefined)[] = [];
  for (const tape of tapes) copies.push(await tape.archive());
  return copies[0];
}
