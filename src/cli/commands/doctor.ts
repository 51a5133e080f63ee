// `bub doctor`: what Bub found here, where each setting comes from, what is broken, and what can be put right.
import { resolve } from "node:path";
import { counted } from "../../base/amounts.ts";
import { isBubError, sentencesOf } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json.ts";
import { jsonLine, neutralise, toOneLine } from "../../base/terminal-text.ts";
import { styled, type TextOutput } from "../../base/text-output.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { homeOf } from "../../kernel/settings.ts";
import type { CommandContext } from "../command-context.ts";
import { type DoctorReport, examine, reportBroken } from "../doctor-report.ts";
import { openRuntime } from "../open-runtime.ts";
import { packageRows } from "../package-report.ts";
import { type SessionOptions, sessionIdFrom } from "../session-options.ts";
import { renderFitting } from "../table.ts";
import { wrapWords } from "../wrapped-text.ts";

export interface DoctorOptions extends SessionOptions {
  json?: boolean;
  fix?: boolean;
  offline?: boolean;
}

/** Answers 1 when something is broken that needs a person. */
export async function runDoctor(
  _words: readonly string[],
  options: DoctorOptions,
  context: CommandContext,
): Promise<number> {
  const { env, stdout, stop } = context;
  let runtime: Runtime;
  try {
    runtime = await openRuntime(context, { printsWarnings: false });
  } catch (error) {
    if (!isBubError(error)) throw error;
    const place = { home: homeOf(env), workspace: absolute(context.options.workspace) };
    print(reportBroken(sentencesOf(error), place), options, stdout, (text) => text);
    return 1;
  }
  await using open = runtime;
  const request = { offline: options.offline === true, fixes: options.fix === true, signal: stop.signal };
  const report = await examine(open, { ...request, sessionId: sessionIdFrom(options) });
  print(report, options, stdout, open.mask.mask);
  return report.problems.length === 0 ? 0 : 1;
}

/** The path as it is given where the folder that this runs in is gone. */
function absolute(path: string): string {
  try {
    return resolve(path);
  } catch {
    return path;
  }
}

function print(
  report: DoctorReport,
  { json }: DoctorOptions,
  stdout: TextOutput,
  mask: (text: string) => string,
): void {
  stdout.write(mask(json === true ? `${jsonLine(report)}\n` : render(report, stdout)));
}

function render(report: DoctorReport, output: TextOutput): string {
  const { version: own, node, platform, home, workspace, tape, plugins } = report;
  const heading = (text: string) => ["", styled(output, "bold", neutralise(text))];
  const rows = (cells: string[][]) =>
    renderFitting(
      cells.map((row) => row.map(toOneLine)),
      output,
    );
  const places = [
    ["home", home],
    ["workspace", workspace ?? "none"],
    ...(tape === null
      ? []
      : [
          ["session", tape.session],
          ["tape", `${tape.place} (${counted(tape.entries, "entry", "entries")}, ${counted(tape.bytes, "byte")})`],
          ["plugins", plugins.length === 0 ? "only Bub's own" : `Bub's own, and ${plugins.join(", ")}`],
        ]),
  ];
  const settings = report.settings.map(({ name, value, source }) => [name, source, shown(value)]);
  const list = (title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [...heading(title), ...sentences.flatMap((sentence) => lines(sentence, output))];
  return [
    ...lines(`bub ${own}, Node ${node}, ${platform}`, output, ""),
    ...rows(places),
    ...(settings.length === 0 ? [] : [...heading("Settings and where they come from"), ...rows(settings)]),
    ...(report.packages.length === 0 ? [] : [...heading("Installed packages"), ...rows(packageRows(report.packages))]),
    ...report.sections.flatMap(({ title, facts }) => [
      ...heading(title),
      ...rows(facts.map(({ name, value }) => [name, value])),
    ]),
    ...list("Fixed", report.fixed),
    ...list("Warnings", report.warnings),
    ...list("Problems", report.problems),
    ...(report.fixable.length === 0 ? [] : ["", ...lines(hintOf(report.fixable.length), output, "")]),
    ...(report.problems.length > 0 ? [] : ["", "Nothing is broken."]),
    "",
  ].join("\n");
}

function hintOf(count: number): string {
  return `bub doctor --fix puts ${count === 1 ? "one of these" : `${count} of these`} right.`;
}

/** A sentence, further lines of it indented; a pipe gets it in one line. */
function lines(sentence: string, output: TextOutput, indent = "  "): string[] {
  const text = neutralise(sentence);
  const [first = "", ...more] = output.isTerminal ? wrapWords(text, output.columns - 2 * indent.length) : [text];
  return [indent + first, ...more.map((line) => indent + indent + line)];
}

function shown(value: JsonValue): string {
  if (value === null) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}
