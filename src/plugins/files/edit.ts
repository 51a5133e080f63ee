// `fs.edit`: replaces literal text in a file and leaves every other byte alone.
import * as v from "valibot";
import { BubError } from "../../base/errors.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { findClosestLine } from "./closest-line.ts";
import { offsetOfLine, replaceText } from "./replace-text.ts";

export const fsEdit = defineTool({
  name: "fs.edit",
  exposure: "direct",
  description:
    "Replace every occurrence of the literal text `old` from the zero-based line `start` on with `new`. To change one place, give enough of its surroundings.",
  input: v.strictObject({
    path: v.string(),
    old: v.string(),
    new: v.string(),
    start: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  }),
  async run({ path, start, ...replacement }, { environment, signal }) {
    if (replacement.old === "") throw new BubError("invalid_input", `cannot edit ${path}: 'old' is empty`);
    let replacements = 0;
    const change = (text: string): string => {
      const changed = replaceText(text, replacement, offsetOfLine(text, start));
      if (changed.count === 0)
        throw notFound(text, { path: environment.resolvePath(path), start, old: replacement.old });
      replacements = changed.count;
      return changed.text;
    };
    return { path: await environment.editText(path, change, { signal }), replacements };
  },
  render: ({ path, replacements }) => `edited: ${path}\nreplacements: ${replacements}`,
});

function notFound(text: string, { path, start, old }: { path: string; start: number; old: string }): BubError {
  const closest = findClosestLine(text, old, start);
  const hint = closest === undefined ? "" : `\nclosest line ${closest.line}: ${closest.text}`;
  return new BubError("not_found", `'${old}' not found in ${path} from line ${start}${hint}`);
}
