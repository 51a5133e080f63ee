// `bub doctor`: what Bub found here, where each setting comes from, and what is broken.
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { jsonLine, neutralise, toOneLine } from "../../base/terminal-text.ts";
import { styled, type TextOutput } from "../../base/text-output.ts";
import { version } from "../../base/version.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { configKeyOf, type SettingName, settingTable } from "../../kernel/setting-table.ts";
import type { CommandContext } from "../command-context.ts";
import { checkModels, type ModelReport } from "../model-check.ts";
import { openRuntime } from "../open-runtime.ts";
import { type PackageReport, packageRows, reportPackages } from "../package-report.ts";
import { checkPrograms, type ProgramReport } from "../program-check.ts";
import { type SessionOptions, sessionIdFrom } from "../session-options.ts";
import { renderTable } from "../table.ts";
import { reportTape, type TapeReport } from "../tape-report.ts";

interface SettingReport {
  name: string;
  value: JsonValue;
  source: string;
}

interface Report {
  version: string;
  node: string;
  platform: string;
  home: string;
  workspace: string | null;
  settings: SettingReport[];
  models: ModelReport[];
  programs: ProgramReport[];
  packages: PackageReport[];
  tape: TapeReport;
  /** Odd, but nothing stops working. */
  warnings: string[];
  /** Broken: a sentence each. */
  problems: string[];
}

/** Answers 1 when something is broken. */
export async function runDoctor(
  _words: readonly string[],
  options: SessionOptions & { json?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout, stop } = context;
  await using runtime = await openRuntime(context, { printsWarnings: false });
  const report = await examine(runtime, sessionIdFrom(options), stop.signal);
  const text = options.json === true ? `${jsonLine(report)}\n` : render(report, stdout);
  stdout.write(runtime.mask.mask(text));
  return report.problems.length === 0 ? 0 : 1;
}

async function examine(runtime: Runtime, sessionId: string, signal: AbortSignal): Promise<Report> {
  const { settings, workspace } = runtime;
  const [models, programs, tape, diagnoses] = await Promise.all([
    checkModels(runtime),
    checkPrograms(settings, signal),
    reportTape(runtime, sessionId, signal),
    runtime.hooks.collect("diagnose", runtime),
  ]);
  const broken = [...models, tape].flatMap(({ problems }) => problems);
  return {
    version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    home: settings.home,
    workspace: workspace ?? null,
    settings: reportSettings(runtime),
    models,
    programs,
    packages: reportPackages(runtime),
    tape,
    warnings: [
      ...runtime.warnings.filter((warning) => !runtime.problems.includes(warning)),
      ...programs.flatMap(({ warnings }) => warnings),
    ],
    problems: [...runtime.problems, ...broken, ...diagnoses.flatMap(({ answer }) => answer)],
  };
}

function reportSettings({ settings, loadedSettings, pluginSettings }: Runtime): SettingReport[] {
  const own = (Object.keys(settingTable) as SettingName[]).map((name) => {
    const value = (settings[name] ?? null) as JsonValue;
    const isSecret = "secret" in settingTable[name] && settingTable[name].secret === true;
    return { name: configKeyOf(name), value: isSecret ? masked(value) : value, source: loadedSettings.sources[name] };
  });
  return [...own, ...pluginSettings];
}

/** Keeps the shape and the names; of a text only that there is one. */
function masked(value: JsonValue): JsonValue {
  if (value === null || value === "") return value;
  if (!isJsonObject(value)) return "***";
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner ?? null)]));
}

function render(report: Report, output: TextOutput): string {
  const { version: own, node, platform, home, workspace, tape } = report;
  const heading = (text: string) => ["", styled(output, "bold", text)];
  const places = [
    ["home", home],
    ["workspace", workspace ?? "none"],
    ["session", tape.session],
    ["tape", `${tape.place} (${tape.entries} entries, ${tape.bytes} bytes)`],
  ];
  const settings = report.settings.map(({ name, value, source }) => [name, source, shown(value)]);
  const models = report.models.map(({ model, key, problems }) => [model, problems.length > 0 ? "not usable" : key]);
  const programs = report.programs.map(({ name, found }) => [name, found ?? "missing"]);
  const lines = (rows: string[][]) => renderTable(rows.map((row) => row.map(toOneLine)));
  const sentences = (list: readonly string[]) => list.map((sentence) => `  ${neutralise(sentence)}`);
  return [
    `bub ${own}, Node ${node}, ${platform}`,
    ...lines(places),
    ...heading("Settings and where they come from"),
    ...lines(settings),
    ...heading("Models"),
    ...lines(models),
    ...heading("Programs"),
    ...lines(programs),
    ...(report.packages.length > 0 ? [...heading("Installed packages"), ...lines(packageRows(report.packages))] : []),
    ...(report.warnings.length > 0 ? [...heading("Warnings"), ...sentences(report.warnings)] : []),
    ...(report.problems.length > 0
      ? [...heading("Problems"), ...sentences(report.problems)]
      : ["", "Nothing is broken."]),
    "",
  ].join("\n");
}

function shown(value: JsonValue): string {
  if (value === null) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}
