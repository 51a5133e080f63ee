// Large tool results stand in a sidecar; the conversation keeps a preview and a handle.
import { definePlugin } from "../../kernel/plugin.ts";
import { spillOutcome } from "./spill-outcome.ts";
import { spillRead } from "./spill-read.ts";
import { sidecarName } from "./spill-store.ts";

export const spillPlugin = definePlugin(({ settings }) => ({
  name: "spill",
  provideTapeSidecar: () => ({ name: sidecarName }),
  provideTools: () => [spillRead],
  spillResult: (outcome, toolset, turn) => spillOutcome(outcome, toolset, { turn, threshold: settings.spillThreshold }),
}));
