// What every command gets: the process's streams, its environment, and what ends it.
import type { StreamOutput } from "../base/text-output.ts";
import type { StopSignals } from "./stop-signals.ts";

/** Options that every command takes. */
export interface GlobalOptions {
  workspace: string;
  /** Paths of further plugins. */
  plugin?: readonly string[];
  model?: string;
}

export interface CommandContext {
  readonly options: GlobalOptions;
  /** Standard input, opened when it is asked for. */
  readonly openStdin: () => NodeJS.ReadStream;
  readonly stdout: StreamOutput;
  readonly stderr: StreamOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stop: StopSignals;
}

/** Thrown for a command line that cannot be understood; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The end of a usage error's sentence. @param names all that there are, where they are few */
export function didYouMean(near: string | undefined, names: readonly string[] = []): string {
  if (near !== undefined) return ` (Did you mean ${near}?)`;
  return names.length === 0 ? "; bub --help shows what there is." : `; there are ${names.join(", ")}.`;
}
