// The tools of a turn's run: for the loop, and for plugins whose words to the model depend on them.
import { createToolset, type OwnedTool, type Toolset } from "../tools/toolset.ts";
import type { Turn } from "./turn-state.ts";

const prepared = new WeakMap<Turn, Promise<readonly OwnedTool[]>>();

/** The runtime's tools as the `prepareTools` hooks leave them; those are asked once a turn. */
export function preparedTools(turn: Turn): Promise<readonly OwnedTool[]> {
  const known = prepared.get(turn);
  if (known !== undefined) return known;
  const asked = prepareTools(turn);
  prepared.set(turn, asked);
  return asked;
}

/** The run's toolset as its scope, its session's code mode and its loaded tools are at this moment. */
export async function runToolset(turn: Turn): Promise<Toolset> {
  return createToolset(await preparedTools(turn), toolScopeOf(turn));
}

/** What narrows the tools of the turn's run now. */
export function toolScopeOf({ toolScope, tape }: Turn): {
  allowed: readonly string[] | undefined;
  codeMode: boolean;
  loaded: readonly string[];
} {
  const { settings, loaded } = tape.facts;
  return { allowed: toolScope.allowedTools, codeMode: settings.code_mode === true, loaded: [...loaded] };
}

async function prepareTools(turn: Turn): Promise<readonly OwnedTool[]> {
  const { tools, hooks } = turn.runtime;
  const changed = await hooks.chain(
    "prepareTools",
    tools.map(({ tool }) => tool),
    turn,
  );
  const kept = new Set(changed);
  const known = tools.filter(({ tool }) => kept.delete(tool));
  // What a plugin puts in here belongs to no plugin's list.
  return [...known, ...[...kept].map((tool) => ({ tool, plugin: "prepareTools" }))];
}
