// Reads a session's tape from end to end and tells what of it cannot be read.
import { wholeSentencesOf } from "../base/errors.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { TapeProblem } from "../tape/store.ts";

export interface TapeReport {
  session: string;
  /** Where a person finds it. */
  place: string;
  entries: number;
  bytes: number;
  problems: string[];
}

/** Never throws for a tape that cannot be read: that is told as a problem. */
export async function reportTape(runtime: Runtime, session: string, signal: AbortSignal): Promise<TapeReport> {
  const { tapes } = runtime.storage;
  const id = runtime.tapeIdOf(session);
  const place = tapes.locate(id);
  let entries = 0;
  const ids = new IdCheck();
  try {
    await using log = await tapes.open(id);
    for await (const entry of log.forward({ signal })) {
      entries++;
      ids.take(entry.id);
    }
    const problems = [...log.problems.map(problemSentence), ...ids.problems].map((what) => `${what} in ${place}.`);
    return { session, place, entries, bytes: await log.size(), problems };
  } catch (error) {
    return {
      session,
      place,
      entries,
      bytes: 0,
      problems: [`The tape ${place} cannot be read: ${wholeSentencesOf(error)}`],
    };
  }
}

/** What of a tape could not be read and where; without a full stop. */
export function problemSentence({ offset, length, reason, id }: TapeProblem): string {
  const where = `${length} bytes at byte ${offset}`;
  switch (reason) {
    case "torn":
      return `A last line that was never finished is skipped (${where})`;
    case "corrupt":
      return `A line that is no entry is skipped (${where})`;
    case "blank":
      return `A stretch of zero bytes is skipped (${where})`;
    case "unknown":
      return `An entry of another version${id === undefined ? "" : `, #${id},`} is skipped (${where})`;
  }
}

/** Ids grow from entry to entry, so one number is enough to find those that come again. */
class IdCheck {
  #highest = 0;
  #first: number | undefined;
  #count = 0;

  take(id: number): void {
    if (id > this.#highest) this.#highest = id;
    else {
      this.#first ??= id;
      this.#count++;
    }
  }

  get problems(): string[] {
    if (this.#first === undefined) return [];
    if (this.#count === 1) return [`The id ${this.#first} stands more than once`];
    return [`${this.#count} ids stand more than once, the first is ${this.#first},`];
  }
}
