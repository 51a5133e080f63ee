// `fs.write`: a whole text file.
import * as v from "valibot";
import { defineTool } from "../../tools/define-tool.ts";

export const fsWrite = defineTool({
  name: "fs.write",
  exposure: "direct",
  description: "Write a whole text file, replacing an existing one; missing directories are created.",
  input: v.strictObject({ path: v.string(), content: v.string() }),
  async run({ path, content }, { environment, signal }) {
    return { path: await environment.writeText(path, content, { signal }) };
  },
  render: ({ path }) => `wrote: ${path}`,
});
