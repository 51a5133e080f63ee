// The sessions that a conversation can go on with: name, first words and age.
import { renderAge } from "../../base/amounts.ts";
import { cutToWidth, toOneLine, widthOf } from "../../base/terminal-text.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { describeSession } from "../../kernel/session-details.ts";
import { listSessions } from "../../kernel/session-shelf.ts";

export interface SessionChoice {
  readonly id: string;
  /** Its first words, as far as they are known. */
  title: string;
  /** How long ago something was last written to it, as people say it. */
  readonly age: string;
}

/** Sessions that are offered by number, where a list cannot be drawn anew. */
export const mostNumbered = 20;

/** What is read of tapes at the same time. */
const atOnce = 8;

/** Those of the runtime's workspace, the one that was used last first; first words follow by `readTitles`. */
export async function listChoices(runtime: Runtime): Promise<SessionChoice[]> {
  const now = runtime.clock.now();
  return (await listSessions(runtime)).flatMap(({ session, changed }) =>
    session === undefined ? [] : [{ id: session, title: "", age: renderAge(changed, now) }],
  );
}

/** Fills in first words, in order; a tape that cannot be read has none. @param onRead told after each */
export async function readTitles(
  choices: readonly SessionChoice[],
  runtime: Runtime,
  { onRead, signal }: { onRead?: () => void; signal: AbortSignal },
): Promise<void> {
  const waiting = [...choices];
  const work = async () => {
    for (let choice = waiting.shift(); choice !== undefined && !signal.aborted; choice = waiting.shift()) {
      const found = await describeSession(runtime, { tape: runtime.tapeIdOf(choice.id) }, { signal }).catch(
        () => undefined,
      );
      choice.title = toOneLine(found?.title ?? "");
      onRead?.();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** One line: `cli:local  fix the adder  2 h`. */
export function renderChoice({ id, title, age }: SessionChoice, columns: number): string {
  const room = Math.max(columns - widthOf(age) - 2, 1);
  const name = cutToWidth(toOneLine(id), Math.max(8, Math.floor(room / (title === "" ? 1 : 2))));
  const words = room - widthOf(name) - 2 < 4 ? "" : `  ${cutToWidth(title, room - widthOf(name) - 2)}`;
  const line = cutToWidth(name + words, room);
  return `${line}${" ".repeat(Math.max(room - widthOf(line), 0))}  ${age}`;
}
