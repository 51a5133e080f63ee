// `,reasoning_effort`: how hard the session's model thinks.
import * as v from "valibot";
import { BubError } from "../../base/errors.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { fromNextTurn, isCleared, switchSetting } from "./setting-event.ts";

export function reasoningEffortCommand(runtime: Runtime): Tool {
  const ofSettings = () => runtime.settings.reasoningEffort ?? "the provider's default";
  return defineTool({
    name: "reasoning_effort",
    description:
      "Show or set how hard this session's model thinks, in the provider's words; null goes back to the settings.",
    exposure: "command",
    input: v.strictObject({ reasoning_effort: v.optional(v.nullable(v.string())) }),
    async run({ reasoning_effort: given }, { turn }) {
      if (given === undefined) {
        const own = turn.tape.facts.settings.reasoning_effort;
        return `reasoning_effort: ${own === undefined ? `${ofSettings()} (not set for this session)` : `${own} (this session's)`}`;
      }
      const effort = isCleared(given) ? null : given.trim();
      if (effort === "")
        throw new BubError(
          "invalid_input",
          "reasoning_effort is empty; values depend on the provider, such as low or high.",
        );
      await switchSetting(turn, "reasoning_effort", effort);
      return `reasoning_effort: ${effort ?? ofSettings()}. ${fromNextTurn}`;
    },
  });
}
