// Reading, writing and editing files.
import { definePlugin } from "../../kernel/plugin.ts";
import { fsEdit } from "./edit.ts";
import { fsRead } from "./read.ts";
import { fsWrite } from "./write.ts";

export const filesPlugin = definePlugin({
  name: "files",
  provideTools: () => [fsRead, fsWrite, fsEdit],
});
