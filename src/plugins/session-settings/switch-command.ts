// `,code_mode` and `,readonly`: switches of a session that are on or off.
import * as v from "valibot";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { fromNextTurn, switchSetting } from "./setting-event.ts";

export function codeModeCommand(): Tool {
  return switchCommand("code_mode", {
    description: "Show or switch this session's code mode, in which the model calls tools from Python.",
    noteOf: (enabled, { toolset }) =>
      enabled && toolset.resolve("run_code") === undefined
        ? "It has no effect as things are: no plugin gives the tool run_code."
        : undefined,
  });
}

export function readonlyCommand(): Tool {
  return switchCommand("readonly", {
    description: "Show or switch whether the agent may only read in this session; your own commands still may write.",
  });
}

interface Words {
  readonly description: string;
  /** A sentence more for who switches it. */
  noteOf?(enabled: boolean, context: ToolContext): string | undefined;
}

function switchCommand(name: "code_mode" | "readonly", { description, noteOf }: Words): Tool {
  return defineTool({
    name,
    description,
    exposure: "command",
    input: v.strictObject({ enable: v.optional(v.nullable(v.boolean())) }),
    async run({ enable }, context) {
      const { turn } = context;
      if (enable === undefined) return `${name}: ${turn.tape.facts.settings[name] === true}`;
      await switchSetting(turn, name, enable);
      const note = noteOf?.(enable === true, context);
      return [`${name}: ${enable === true}. ${fromNextTurn}`, ...(note === undefined ? [] : [note])].join("\n");
    },
  });
}
