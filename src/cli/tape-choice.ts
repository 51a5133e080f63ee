// Which tape a command is about: a session's, by name, or a file anywhere.
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { BubError, codeOf } from "../base/errors.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { findSession } from "../kernel/session-shelf.ts";
import { fileError } from "../tape/file-error.ts";
import { openTapeFile } from "../tape/file-store.ts";
import type { TapeLog } from "../tape/store.ts";
import { UsageError } from "./command-context.ts";
import { type SessionOptions, sessionIdFrom } from "./session-options.ts";

export interface ChosenTape extends AsyncDisposable {
  readonly log: TapeLog;
  /** The session's id, or the file as it was named. */
  readonly name: string;
  /** Where a person finds it. */
  readonly place: string;
  /** One sentence for a tape without entries. */
  readonly emptySentence: string;
  /** False for a file from elsewhere, whose media nobody here has. */
  readonly isOfHome: boolean;
}

/**
 * A word is a session that is there, else a file; without one the options choose the session, which may have no tape yet.
 * Dispose it.
 * @throws BubError `not_found`, which names the nearest session
 */
export async function openChosenTape(
  runtime: Runtime,
  [word]: readonly string[],
  options: SessionOptions,
): Promise<ChosenTape> {
  if (word === undefined) return openSession(runtime, sessionIdFrom(options));
  if (options.sessionId !== undefined)
    throw new UsageError(`two sessions are named: '${options.sessionId}' and '${word}'.`);
  const session = await openSession(runtime, word);
  if ((await session.log.size()) > 0) return session;
  await session[Symbol.asyncDispose]();
  return (await openFile(runtime, word)) ?? openFound(runtime, word);
}

async function openSession(runtime: Runtime, name: string): Promise<ChosenTape> {
  const { tapes } = runtime.storage;
  const tape = runtime.tapeIdOf(name);
  const emptySentence = `the session '${name}' has no entries in this workspace.`;
  return chosen(await tapes.open(tape), { name, place: tapes.locate(tape), emptySentence, isOfHome: true });
}

/** Undefined where there is no such file. */
async function openFile({ settings }: Runtime, word: string): Promise<ChosenTape | undefined> {
  const place = resolve(word);
  try {
    const found = await stat(place);
    if (!found.isFile())
      throw new BubError("invalid_input", `${word} is no file that could hold a tape`, {
        hint: "Name a session, or a tape's file; bub sessions lists the sessions.",
      });
  } catch (error) {
    // What cannot be a path at all is a session's name.
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"].includes(codeOf(error) ?? "")) return undefined;
    throw fileError("look at", place, error, "Name a file that you can read.");
  }
  const isOfHome = place.startsWith(join(settings.home, "tapes", "/"));
  const emptySentence = `the file ${word} holds no entry of a tape.`;
  return chosen(openTapeFile(place), { name: word, place, emptySentence, isOfHome });
}

async function openFound(runtime: Runtime, word: string): Promise<ChosenTape> {
  const { tape, session = tape } = await findSession(runtime, word);
  const { tapes } = runtime.storage;
  const emptySentence = `the session '${session}' has no entries.`;
  return chosen(await tapes.open(tape), { name: session, place: tapes.locate(tape), emptySentence, isOfHome: true });
}

function chosen(log: TapeLog, facts: Omit<ChosenTape, "log" | typeof Symbol.asyncDispose>): ChosenTape {
  return { ...facts, log, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() };
}
