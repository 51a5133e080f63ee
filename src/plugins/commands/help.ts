// `,help`: every command with its usage, and the plugin that it comes from.
import type { Runtime } from "../../kernel/runtime.ts";
import { usageOf } from "../../tools/command-line.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { createToolset, type OwnedTool } from "../../tools/toolset.ts";

export function helpTool(runtime: Runtime): Tool {
  return defineTool({
    name: "help",
    description: "List the text commands.",
    exposure: "command",
    run: () => renderHelp(createToolset(runtime.tools).all, runtime.settings.commandPrefix),
  });
}

function renderHelp(tools: readonly OwnedTool[], prefix: string): string {
  const commands = tools.filter(({ tool }) => tool.exposure !== "code");
  const plugins = [...new Set(commands.map(({ plugin }) => plugin))].sort();
  const groups = plugins.flatMap((plugin) => [
    "",
    `[${plugin}]`,
    ...commands.filter((owned) => owned.plugin === plugin).map(({ tool }) => `${prefix}${usageOf(tool)}`),
  ]);
  return [
    `A message that starts with "${prefix}" is a command: it runs at once, without the model.`,
    ...groups,
    "",
    `Anything else after "${prefix}" runs as a shell command: ${prefix}git status`,
  ].join("\n");
}
