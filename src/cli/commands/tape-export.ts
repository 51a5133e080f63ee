// `bub tape export`: a tape as a file for others, secrets masked.
import { extname } from "node:path";
import { counted, renderBytes } from "../../base/amounts.ts";
import { BubError } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { nearestName } from "../../base/near.ts";
import { neutralise } from "../../base/terminal-text.ts";
import { type ExportFormat, exportFormats, exportTape } from "../../tape/export.ts";
import type { TapeReader } from "../../tape/store.ts";
import { lastIdOf } from "../../tape/tape-end.ts";
import { type CommandContext, didYouMean, UsageError } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";
import { writeOutputFile } from "../output-file.ts";
import { PacedOutput } from "../paced-output.ts";
import { ProgressBar } from "../progress-bar.ts";
import type { SessionOptions } from "../session-options.ts";
import { openChosenTape } from "../tape-choice.ts";

export interface TapeExportOptions extends SessionOptions {
  format?: string;
  output?: string;
  overwrite?: boolean;
  everything?: boolean;
}

/** Reads without the session's lease: what is there when it begins is exported. */
export async function runTapeExport(
  words: readonly string[],
  options: TapeExportOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const { output, overwrite = false, everything } = options;
  const format = formatFrom(options);
  await using runtime = await openRuntime(context);
  await using tape = await openChosenTape(runtime, words, options);
  const total = await lastIdOf(tape.log);
  if (total === 0) throw new BubError("not_found", tape.emptySentence);
  const isPrinted = output === undefined || output === "-";
  using bar = new ProgressBar(stderr, { label: "exporting", total });
  const pieces = exportTape(maskedReader(tape.log, runtime.mask.mask), {
    format,
    title: runtime.mask.mask(tape.name),
    everything,
    media: tape.isOfHome ? runtime.storage.media : undefined,
    signal: stop.signal,
    // What is printed on the terminal is not written over, and tells itself how far it is.
    onEntry: isPrinted && stdout.isTerminal ? undefined : (id) => bar.update(id),
  });
  if (isPrinted) {
    const paced = new PacedOutput(stdout);
    for await (const piece of pieces) await paced.write(piece);
    return 0;
  }
  const bytes = await writeOutputFile(output, pieces, { overwrite, never: tape.place });
  bar[Symbol.dispose]();
  stderr.write(
    `bub: ${neutralise(output)} has ${counted(total, "entry", "entries")} as ${format}, ${renderBytes(bytes)}.\n`,
  );
  return 0;
}

const endings: Readonly<Record<string, ExportFormat>> = {
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".md": "markdown",
  ".markdown": "markdown",
  ".html": "html",
  ".htm": "html",
};

function formatFrom({ format, output = "" }: TapeExportOptions): ExportFormat {
  if (format === undefined) return endings[extname(output).toLowerCase()] ?? "markdown";
  const known = exportFormats.find((name) => name === format);
  if (known !== undefined) return known;
  throw new UsageError(`unknown format '${format}'${didYouMean(nearestName(format, exportFormats), exportFormats)}`);
}

/** Secrets are masked where they stand, before anything is escaped. */
function maskedReader(log: TapeReader, mask: (text: string) => string): TapeReader {
  const masked = <Entry extends { payload: JsonObject; meta: JsonObject }>(entry: Entry): Entry => ({
    ...entry,
    payload: maskedObject(entry.payload, mask),
    meta: maskedObject(entry.meta, mask),
  });
  return {
    async *forward(options) {
      for await (const entry of log.forward(options)) yield masked(entry);
    },
    async *backward(options) {
      for await (const entry of log.backward(options)) yield masked(entry);
    },
  };
}

function maskedObject(value: JsonObject, mask: (text: string) => string): JsonObject {
  const pairs = Object.entries(value).map(([name, inner]) => [mask(name), inner && maskedValue(inner, mask)]);
  return Object.fromEntries(pairs) as JsonObject;
}

function maskedValue(value: JsonValue, mask: (text: string) => string): JsonValue {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((inner) => maskedValue(inner, mask));
  return isJsonObject(value) ? maskedObject(value, mask) : value;
}
