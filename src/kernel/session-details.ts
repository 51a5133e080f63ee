// What a session is about: read from the beginning and the end of its tape, never all of it; and searching through many.
import { contentFromJson, textOf } from "../base/content.ts";
import type { JsonValue } from "../base/json.ts";
import { cutToWidth } from "../base/terminal-text.ts";
import type { TapeEntry } from "../tape/entry.ts";
import type { SessionSettings } from "../tape/fold.ts";
import { findEntries, type TapeSearch } from "../tape/search.ts";
import type { TapeReader } from "../tape/store.ts";
import { readTapeFacts } from "../tape/tape-end.ts";
import type { Runtime } from "./runtime.ts";
import { listSessions, type SessionSummary } from "./session-shelf.ts";

export interface SessionDetails {
  /** The first line of the first message; undefined when nobody has said anything. */
  readonly title: string | undefined;
  readonly entries: number;
  readonly anchors: number;
  readonly settings: SessionSettings;
}

/** Needs no lease. @throws BubError for a tape that cannot be opened; the signal's reason */
export async function describeSession(
  runtime: Runtime,
  { tape }: Pick<SessionSummary, "tape">,
  { signal }: { signal?: AbortSignal } = {},
): Promise<SessionDetails> {
  await using log = await runtime.storage.tapes.open(tape);
  const { entries, anchors, settings } = await readTapeFacts(log);
  return { title: await titleOf(log, signal), entries, anchors, settings };
}

/** The title alone: costs the beginning of the tape. */
export async function titleOfSession(
  runtime: Runtime,
  { tape }: Pick<SessionSummary, "tape">,
  { signal }: { signal?: AbortSignal } = {},
): Promise<string | undefined> {
  await using log = await runtime.storage.tapes.open(tape);
  return titleOf(log, signal);
}

/**
 * Entries of many sessions that match, the session that was changed last first.
 * @param options.onUnreadable told of a tape that cannot be opened, and the others are searched; without it, it is thrown
 */
export async function* searchSessions(
  runtime: Runtime,
  { everywhere, ...search }: TapeSearch & { everywhere?: boolean },
  { signal, onUnreadable }: { signal?: AbortSignal; onUnreadable?: (error: unknown) => void } = {},
): AsyncGenerator<{ session: SessionSummary; entry: TapeEntry }, void> {
  let left = search.limit;
  const open = async ({ tape }: SessionSummary) => {
    try {
      return await runtime.storage.tapes.open(tape);
    } catch (error) {
      if (onUnreadable === undefined) throw error;
      onUnreadable(error);
      return undefined;
    }
  };
  for (const session of await listSessions(runtime, { everywhere })) {
    await using log = await open(session);
    if (log === undefined) continue;
    for await (const entry of findEntries(log, { ...search, limit: left }, { signal })) {
      yield { session, entry };
      left--;
    }
    if (left <= 0) return;
  }
}

/** The lines of a recorded message of a person, without what channels and workspaces put before them. */
export function linesSaid(content: JsonValue | undefined): string[] {
  const lines = textOf(contentFromJson(content)).split("\n");
  const first = lines.findIndex((line) => !/^(<channel=|---Date: |Workspace: |Platform: )/.test(line));
  return first < 0 ? [] : lines.slice(first);
}

const titleEntries = 50;
const titleColumns = 80;

async function titleOf(log: TapeReader, signal?: AbortSignal): Promise<string | undefined> {
  for await (const { kind, payload } of log.forward({ before: titleEntries, signal })) {
    if (kind !== "message" || payload.role !== "user") continue;
    const said = linesSaid(payload.content)
      .map((line) => line.trim())
      .find((line) => line !== "" && !line.startsWith("<shell-command "));
    if (said !== undefined) return cutToWidth(said, titleColumns);
  }
  return undefined;
}
