// `fs.read`: a file's text, whole or by lines, or an image that the model can see.
import * as v from "valibot";
import type { MediaPart } from "../../base/content.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { hasImageName, readImage } from "./image.ts";

export const fsRead = defineTool({
  name: "fs.read",
  exposure: "direct",
  description:
    "Read a UTF-8 text file: whole, or `limit` lines from the zero-based line `offset`. png, jpg, webp and gif files come as an image you can see.",
  input: v.strictObject({
    path: v.string(),
    offset: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
  async run({ path, offset, limit }, { environment, signal }): Promise<string | MediaPart> {
    if (hasImageName(path)) return readImage(path, { environment, signal });
    if (offset === 0 && limit === undefined) return environment.readText(path, { signal });
    return environment.readLines(path, { offset, limit }, { signal });
  },
  render: (value) => (typeof value === "string" ? value : [value]),
});
