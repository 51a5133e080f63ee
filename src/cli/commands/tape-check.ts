// `bub tape check`: proves every request that a tape can lead to; says what is wrong, where, and the smallest repair.

import { counted } from "../../base/amounts.ts";
import { BubError } from "../../base/errors.ts";
import { jsonLine, neutralise, toOneLine } from "../../base/terminal-text.ts";
import { styled, type TextOutput } from "../../base/text-output.ts";
import { checkTape, type TapeCheck, type TapeFinding } from "../../plugins/agent/plugin.ts";
import { lastIdOf } from "../../tape/tape-end.ts";
import type { CommandContext } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";
import { ProgressBar } from "../progress-bar.ts";
import type { SessionOptions } from "../session-options.ts";
import { openChosenTape } from "../tape-choice.ts";
import { problemSentence } from "../tape-report.ts";

export interface TapeCheckOptions extends SessionOptions {
  provider?: readonly string[];
  json?: boolean;
}

interface Report extends TapeCheck {
  readonly place: string;
  /** What could not be read, a sentence each. */
  readonly unreadable: readonly string[];
}

/** Answers 1 when something is wrong. Needs no lease, and sends nothing. */
export async function runTapeCheck(
  words: readonly string[],
  options: TapeCheckOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  await using runtime = await openRuntime(context);
  await using tape = await openChosenTape(runtime, words, options);
  using bar = new ProgressBar(stderr, { label: "checking", total: await lastIdOf(tape.log) });
  const check = await checkTape(tape.log, {
    providers: options.provider,
    endpoints: { providers: runtime.settings.providers, lookup: runtime.loadedSettings.lookup },
    media: tape.isOfHome ? runtime.storage.media : undefined,
    signal: stop.signal,
    onEntry: (id) => bar.update(id),
  });
  bar[Symbol.dispose]();
  if (check.entries === 0 && tape.log.problems.length === 0) throw new BubError("not_found", tape.emptySentence);
  const unreadable = tape.log.problems.map((problem) => `${problemSentence(problem)}.`);
  const report: Report = { place: tape.place, ...check, unreadable };
  const text = options.json === true ? jsonLine(report) : render(report, stdout);
  stdout.write(`${runtime.mask.mask(text)}\n`);
  return report.findings.length + unreadable.length === 0 ? 0 : 1;
}

function render(report: Report, output: TextOutput): string {
  const { place, entries, anchors, places, requests, findings, unreadable, repair } = report;
  const heading = (text: string) => ["", styled(output, "bold", text)];
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [...heading(title), ...lines];
  const current = findings.filter(({ isCurrent }) => isCurrent);
  const past = findings.filter(({ isCurrent }) => !isCurrent);
  const isSound = findings.length + unreadable.length === 0;
  return [
    neutralise(place),
    `${counted(entries, "entry", "entries")}, ${counted(anchors, "anchor")}; ${counted(requests, "request")} built at ${counted(places, "place")}.`,
    ...section("Wrong now: the next request meets it", current.map(line)),
    ...section("Wrong in the past: the next request does not meet it", past.map(line)),
    ...section(
      "Not readable, and passed over",
      unreadable.map((sentence) => `  ${neutralise(sentence)}`),
    ),
    ...(repair === undefined ? [] : [...heading("Repair"), `  ${repair.message}`]),
    ...(isSound ? ["", "Nothing is wrong."] : []),
    ...(!isSound && repair === undefined ? ["", "The next request is right as it is: nothing needs repair."] : []),
  ].join("\n");
}

function line({ entry, problem, message }: TapeFinding): string {
  return `  #${entry}  ${problem}  ${toOneLine(message)}`;
}
