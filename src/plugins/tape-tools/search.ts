// `tape.search`: entries of the session's tape that hold a text or nearly its words, newest first.
import * as v from "valibot";
import { entryKinds } from "../../tape/entry.ts";
import { searchHeading, searchTape, searchTool, type TapeMatches } from "../../tape/search.ts";
import { defineTool } from "../../tools/define-tool.ts";

export const tapeSearch = defineTool({
  name: searchTool,
  description: "Search the whole tape, before anchors too: text in any case, or nearly the same words; newest first.",
  input: v.strictObject({
    query: v.string(),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 20),
    start: v.optional(v.pipe(v.string(), v.description("ISO date or date-time; both bounds are inclusive"))),
    end: v.optional(v.string()),
    kinds: v.optional(v.array(v.picklist(entryKinds)), ["message", "tool_result"]),
  }),
  output: {
    type: "object",
    properties: {
      matches: {
        type: "array",
        items: {
          type: "object",
          properties: { date: { type: "string" }, kind: { enum: [...entryKinds] }, content: { type: "object" } },
          required: ["date", "kind", "content"],
        },
      },
      filtered: { type: "integer" },
    },
    required: ["matches", "filtered"],
  },
  async run({ query, limit, start, end, kinds }, { turn, signal }): Promise<TapeMatches> {
    return searchTape(turn.tape, { query, limit, kinds, dates: { start, end } }, { signal });
  },
  render: ({ matches, filtered }) =>
    [
      `${searchHeading}${matches.length} matches (${filtered} filtered)`,
      ...matches.map((one) => JSON.stringify(one)),
    ].join("\n"),
});
