// `bub sessions rename`, `archive` and `restore`: each holds the session's lease, and fails while somebody is at work on it.
import { neutralise } from "../../base/terminal-text.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { archiveSession, findSession, renameSession, restoreSession } from "../../kernel/session-shelf.ts";
import type { CommandContext } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";

type NoOptions = Readonly<Record<string, never>>;

export function runSessionsRename(
  [id = "", name = ""]: readonly string[],
  _options: NoOptions,
  context: CommandContext,
): Promise<number> {
  return change(context, async (runtime) => {
    await renameSession(runtime, await findSession(runtime, id), name);
    return `Renamed: ${id} is now ${name}.`;
  });
}

export function runSessionsArchive(
  [id = ""]: readonly string[],
  _options: NoOptions,
  context: CommandContext,
): Promise<number> {
  return change(context, async (runtime) => {
    const place = await archiveSession(runtime, await findSession(runtime, id));
    return `Archived: ${place}`;
  });
}

export function runSessionsRestore(
  [id = ""]: readonly string[],
  _options: NoOptions,
  context: CommandContext,
): Promise<number> {
  return change(context, async (runtime) => {
    const { archive, replaced } = await restoreSession(runtime, id);
    const restored = `Restored: ${archive.session ?? archive.tape}, archived ${archive.date}.`;
    return replaced === undefined ? restored : `${restored}\nArchived in its place: ${replaced}`;
  });
}

async function change(context: CommandContext, work: (runtime: Runtime) => Promise<string>): Promise<number> {
  await using runtime = await openRuntime(context);
  context.stdout.write(`${neutralise(await work(runtime))}\n`);
  return 0;
}
