// Tools that look at the session's own tape.
import { definePlugin } from "../../kernel/plugin.ts";
import { tapeAnchors } from "./anchors.ts";
import { tapeHandoff } from "./handoff.ts";
import { tapeInfo } from "./info.ts";
import { tapeReset } from "./reset.ts";

export const tapeToolsPlugin = definePlugin({
  name: "tape-tools",
  provideTools: () => [tapeInfo, tapeAnchors, tapeHandoff, tapeReset],
});
