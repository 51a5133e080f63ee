// Reads as much of a tape's end as its next turn needs, and no more.
import type { TapeEntry } from "./entry.ts";
import { applyChange, changeOf, type FactsChange, isRun, noFacts, parseFacts, type TapeFacts } from "./fold.ts";
import type { TapeLog, TapeProblem, TapeReader } from "./store.ts";

export interface TapeEnd {
  /** The last anchor, if any, and what follows it; oldest first. */
  readonly recent: TapeEntry[];
  readonly lastId: number;
  readonly facts: TapeFacts;
  /** How many `run` events followed the facts that were found. */
  readonly runsSinceFacts: number;
  /** A long tape had no facts at all: the next `run` event shall bring them. Facts that are far away are due by count. */
  readonly scanned: boolean;
  /** An entry after all readable ones that makes it unsafe to count on. */
  readonly foreign: TapeProblem | undefined;
}

/** Facts ride at least on each such run. */
export const runsBetweenFacts = 64;

/** Reads backwards until the last anchor and the last facts are found, whichever is farther. */
export async function readTapeEnd(log: TapeLog): Promise<TapeEnd> {
  const recent: TapeEntry[] = [];
  const later = new LaterEntries();
  let anchored = false;
  let facts: TapeFacts | undefined;
  let newest: TapeEntry | undefined;
  let unknown: readonly TapeProblem[] = [];
  const visit = (entry: TapeEntry): boolean => {
    if (newest === undefined) {
      newest = entry;
      unknown = unknownIn(log);
    }
    if (!anchored) recent.push(entry);
    if (facts === undefined) {
      facts = parseFacts(entry.meta.facts);
      if (facts === undefined) later.take(entry);
    }
    anchored ||= entry.kind === "anchor";
    return !anchored || facts === undefined;
  };
  if (log.visitBackward !== undefined) await log.visitBackward(visit);
  else for await (const entry of log.backward()) if (!visit(entry)) break;
  if (newest === undefined) unknown = unknownIn(log);
  return {
    recent: recent.reverse(),
    lastId: unknown.reduce((highest, { id = 0 }) => Math.max(highest, id), newest?.id ?? 0),
    facts: later.foldOnto(facts ?? noFacts),
    runsSinceFacts: later.runs,
    scanned: facts === undefined && later.entries > runsBetweenFacts,
    foreign: unknown.find(({ id }) => id === undefined),
  };
}

/** What `readTapeEnd` says of the facts, without keeping any entry. */
export async function readTapeFacts(log: TapeLog): Promise<TapeFacts> {
  const later = new LaterEntries();
  let facts: TapeFacts | undefined;
  for await (const entry of log.backward()) {
    facts = parseFacts(entry.meta.facts);
    if (facts !== undefined) break;
    later.take(entry);
  }
  return later.foldOnto(facts ?? noFacts);
}

/** The id of the last entry that can be read; 0 where there is none. */
export async function lastIdOf(tape: TapeReader): Promise<number> {
  for await (const { id } of tape.backward()) return id;
  return 0;
}

function unknownIn(log: TapeLog): TapeProblem[] {
  return log.problems.filter(({ reason }) => reason === "unknown");
}

/** Entries after the facts, met newest first: kept are only their counts and what they change. */
class LaterEntries {
  entries = 0;
  anchors = 0;
  runs = 0;
  readonly #changes: FactsChange[] = [];

  take(entry: TapeEntry): void {
    this.entries++;
    if (entry.kind === "anchor") this.anchors++;
    if (isRun(entry)) this.runs++;
    const change = changeOf(entry);
    if (change !== undefined) this.#changes.push(change);
  }

  foldOnto(facts: TapeFacts): TapeFacts {
    const changed = this.#changes.reduceRight(applyChange, facts);
    return { ...changed, entries: facts.entries + this.entries, anchors: facts.anchors + this.anchors };
  }
}
