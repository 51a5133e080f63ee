// Tools that look at the session's own tape.
import { definePlugin } from "../../kernel/plugin.ts";
import { tapeAnchors } from "./anchors.ts";
import { tapeHandoff } from "./handoff.ts";
import { tapeInfo } from "./info.ts";
import { tapeReset } from "./reset.ts";
import { tapeSearch } from "./search.ts";

export const tapeToolsPlugin = definePlugin({
  name: "tape-tools",
  provideTools: () => [tapeInfo, tapeSearch, tapeAnchors, tapeHandoff, tapeReset],
});
