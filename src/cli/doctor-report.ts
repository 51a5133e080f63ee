// What `bub doctor` reports: the documented form of its --json, put together of the core's knowledge and the plugins'.
import { wholeSentencesOf } from "../base/errors.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import { shownAddress } from "../base/shown-address.ts";
import { version } from "../base/version.ts";
import { type Diagnosis, type DiagnosisRequest, type Fact, type Finding, findingsOf } from "../kernel/diagnosis.ts";
import { misfitOf } from "../kernel/hook-answers.ts";
import { attributed, type HookHandler, pluginError } from "../kernel/hook-runner.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { configKeyOf, type SettingName, settingTable } from "../kernel/setting-table.ts";
import { defaults } from "../plugins/defaults.ts";
import { type PackageReport, reportPackages } from "./package-report.ts";
import { reportTape, type TapeReport } from "./tape-report.ts";

export interface DoctorReport {
  version: string;
  node: string;
  platform: string;
  home: string;
  workspace: string | null;
  /** Names; those that Bub does not bring itself. */
  plugins: string[];
  /** What `bub install` has installed. */
  packages: PackageReport[];
  settings: SettingReport[];
  sections: SectionReport[];
  /** Null when nothing could be opened. */
  tape: TapeReport | null;
  /** What `--fix` did, a sentence each. */
  fixed: string[];
  /** Those of the problems and warnings that `--fix` puts right. */
  fixable: string[];
  /** Odd, but nothing stops working. */
  warnings: string[];
  /** Broken until a person does something: a sentence each. */
  problems: string[];
}

export interface SettingReport {
  name: string;
  value: JsonValue;
  source: string;
}

export interface SectionReport {
  plugin: string;
  title: string;
  facts: Fact[];
}

export interface DoctorRequest {
  readonly sessionId: string;
  readonly offline: boolean;
  readonly fixes: boolean;
  readonly signal: AbortSignal;
}

/** Looks and, with `fixes`, puts right what can be. A plugin that fails is a finding. @throws the signal's reason */
export async function examine(runtime: Runtime, request: DoctorRequest): Promise<DoctorReport> {
  const { sessionId, offline, fixes, signal } = request;
  const [tape, answers] = await Promise.all([
    reportTape(runtime, sessionId, signal),
    Promise.all(runtime.hooks.handlers("diagnose").map((handler) => ask(handler, runtime, { offline, signal }))),
  ]);
  signal.throwIfAborted();
  const found: Finding[] = [
    ...runtime.warnings.map((sentence): Finding => {
      return { sentence, severity: runtime.problems.includes(sentence) ? "problem" : "warning" };
    }),
    ...tape.problems.map((sentence): Finding => ({ sentence, severity: "problem" })),
    ...answers.flatMap(({ answer }) => findingsOf(answer)),
  ];
  const { fixed, left } = fixes ? await fix(found, signal) : { fixed: [], left: found };
  const sentencesOf = (severity: Finding["severity"]) =>
    left.filter((finding) => finding.severity === severity).map(({ sentence }) => sentence);
  return {
    ...placeOf(runtime.settings.home, runtime.workspace),
    plugins: furtherPlugins(runtime),
    packages: reportPackages(runtime),
    settings: reportSettings(runtime),
    sections: answers.flatMap(({ plugin, answer }) =>
      "findings" in answer ? [{ plugin, title: answer.title, facts: [...answer.facts] }] : [],
    ),
    tape,
    fixed,
    fixable: left.flatMap(({ sentence, fix: puts }) => (puts === undefined ? [] : [sentence])),
    warnings: sentencesOf("warning"),
    problems: sentencesOf("problem"),
  };
}

/** One that fails while it looks is a finding itself. */
async function ask(
  handler: HookHandler<"diagnose">,
  runtime: Runtime,
  request: DiagnosisRequest,
): Promise<{ plugin: string; answer: Diagnosis | readonly string[] }> {
  const { plugin } = handler;
  try {
    const answer = await attributed(handler, "diagnose", [runtime, request]);
    const misfit = misfitOf("diagnose", answer);
    if (misfit !== undefined) throw pluginError(plugin, "diagnose", misfit);
    return { plugin, answer: (answer ?? []) as Diagnosis | readonly string[] };
  } catch (error) {
    return { plugin, answer: [wholeSentencesOf(error)] };
  }
}

/** The report of a set-up that cannot even be opened. */
export function reportBroken(sentence: string, { home, workspace }: { home: string; workspace: string }): DoctorReport {
  const nothing = { plugins: [], packages: [], settings: [], sections: [], fixed: [], fixable: [], warnings: [] };
  return { ...placeOf(home, workspace), ...nothing, tape: null, problems: [sentence] };
}

function placeOf(home: string, workspace: string | undefined) {
  return {
    version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    home,
    workspace: workspace ?? null,
  };
}

/** One after the other: what one does may be what the next one looks at. */
async function fix(found: readonly Finding[], signal: AbortSignal): Promise<{ fixed: string[]; left: Finding[] }> {
  const fixed: string[] = [];
  const left: Finding[] = [];
  for (const finding of found) {
    signal.throwIfAborted();
    try {
      if (finding.fix === undefined) left.push(finding);
      else fixed.push(await finding.fix());
    } catch (error) {
      const { sentence, severity } = finding;
      left.push({ sentence: `${sentence} It could not be put right: ${wholeSentencesOf(error)}`, severity });
    }
  }
  return { fixed, left };
}

function furtherPlugins({ plugins }: Runtime): string[] {
  return plugins.slice(defaults.length).map(({ name }) => name);
}

function reportSettings({ settings, loadedSettings, pluginSettings }: Runtime): SettingReport[] {
  const own = (Object.keys(settingTable) as SettingName[]).map((name) => {
    const value = shownValue(name, (settings[name] ?? null) as JsonValue);
    return { name: configKeyOf(name), value, source: loadedSettings.sources[name] };
  });
  return [...own, ...pluginSettings];
}

function shownValue(name: SettingName, value: JsonValue): JsonValue {
  if ("secret" in settingTable[name] && settingTable[name].secret === true) return masked(value);
  return name === "apiBase" && typeof value === "string" ? shownAddress(value) : value;
}

/** What of a secret setting is none: where a provider is, and how it is spoken to. */
const open = new Set(["type", "api_base", "package", "api_format", "timeout"]);

/** Keeps the shape and the names; of a text only that there is one. */
function masked(value: JsonValue, name = ""): JsonValue {
  if (value === null || value === "") return value;
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, masked(inner ?? null, key)]));
  if (!open.has(name) || typeof value === "boolean" || Array.isArray(value)) return "***";
  return typeof value === "string" ? shownAddress(value) : value;
}
