// `bub hooks`: which plugins answer each hook, in the order in which they are asked, where each tool comes from, and how long hooks take.
import { jsonLine, toOneLine } from "../../base/terminal-text.ts";
import type { HookReport } from "../../kernel/hook-runner.ts";
import type { OwnedTool, Runtime } from "../../kernel/runtime.ts";
import { createToolset } from "../../tools/toolset.ts";
import type { CommandContext } from "../command-context.ts";
import { runTraced, type TraceOptions } from "../hook-trace.ts";
import { openRuntime } from "../open-runtime.ts";
import { type PackageReport, packageRows, reportPackages } from "../package-report.ts";
import { renderTable } from "../table.ts";

interface ToolReport {
  name: string;
  alias: string;
  plugin: string;
  exposure: string;
  deferred: boolean;
  /** The plugin whose tool took its place. */
  replaced_by?: string;
}

export async function runHooks(
  _words: readonly string[],
  options: TraceOptions & { trace?: string },
  context: CommandContext,
): Promise<number> {
  if (options.trace !== undefined) return runTraced(options.trace, options, context);
  await using runtime = await openRuntime(context);
  const hooks = runtime.hooks.report();
  const tools = reportTools(runtime);
  const packages = reportPackages(runtime);
  const report = { hooks, tools, packages };
  context.stdout.write(options.json === true ? `${jsonLine(report)}\n` : render(report));
  return 0;
}

function reportTools({ tools }: Runtime): ToolReport[] {
  const kept = createToolset(tools).all;
  const winnerOf = ({ tool: { name, alias } }: OwnedTool) =>
    kept.find(({ tool }) => tool.name === name || tool.alias === alias);
  return tools.map((owned) => {
    const { name, alias, exposure, deferred } = owned.tool;
    const report = { name, alias, plugin: owned.plugin, exposure, deferred };
    const winner = winnerOf(owned);
    return winner === undefined || winner.tool === owned.tool ? report : { ...report, replaced_by: winner.plugin };
  });
}

interface Report {
  readonly hooks: readonly HookReport[];
  readonly tools: readonly ToolReport[];
  readonly packages: readonly PackageReport[];
}

function render({ hooks, tools, packages }: Report): string {
  const hookRows = hooks.map(({ hook, kind, plugins }) => [hook, kind, plugins.join(", ") || "-"]);
  const toolRows = tools.map(({ name, exposure, deferred, plugin, replaced_by: winner }) => [
    name,
    deferred ? `${exposure}, deferred` : exposure,
    winner === undefined ? plugin : `${plugin}, replaced by ${winner}`,
  ]);
  return [
    "Hooks, each with the plugins in the order in which they are asked",
    ...renderTable(hookRows.map((row) => row.map(toOneLine))),
    "",
    "Tools, each with who may call it and the plugin it comes from",
    ...renderTable(toolRows.map((row) => row.map(toOneLine))),
    ...(packages.length > 0 ? ["", "Installed packages, each with its version and its plugin"] : []),
    ...renderTable(packageRows(packages).map((row) => row.map(toOneLine))),
    "",
  ].join("\n");
}
