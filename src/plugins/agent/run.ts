// What one run holds from its first step to its last.

import type { Usage } from "../../base/events.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ContextSelection } from "../../kernel/hooks.ts";
import { preparedTools, toolScopeOf } from "../../kernel/run-tools.ts";
import { hookInterception } from "../../kernel/tool-hooks.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { ModelMessage } from "../../model/model.ts";
import type { EntryDraft } from "../../tape/entry.ts";
import type { Interception } from "../../tools/interception.ts";
import { createToolset, type Toolset } from "../../tools/toolset.ts";
import { interruptedError } from "./context.ts";
import { LoopGuard } from "./loop-guard.ts";
import { chooseModels, type ModelChoice } from "./model-choice.ts";
import { SelectedContext } from "./selected-context.ts";
import { TapeContext } from "./tape-context.ts";

export interface Run {
  readonly turn: Turn;
  readonly models: ModelChoice;
  readonly context: TapeContext;
  readonly guard: LoopGuard;
  readonly interception: Interception;
  readonly system: string;
  readonly reasoningEffort: string | undefined;
  /** Tokens of all steps so far. */
  readonly usage: Usage;
  /** The tools of the next step: the same object until a tool is loaded. */
  toolset(): Toolset;
  /** The conversation for the next request. */
  messages(): Promise<readonly ModelMessage[]>;
}

/** Opens a run on a turn's tape; calls that a crash left open are recorded as interrupted first. */
export async function openRun(turn: Turn): Promise<Run> {
  const { runtime, tape, inbound } = turn;
  const { settings, hooks } = runtime;
  const context = new TapeContext(tape);
  await closeOpenCalls(turn, context);
  const session = tape.facts.settings;
  const inherited = turn.state.running;
  const models = await chooseModels(inbound.model ?? session.model ?? inherited?.model ?? settings.model, turn);
  const reasoningEffort =
    inbound.reasoningEffort ?? session.reasoning_effort ?? inherited?.reasoningEffort ?? settings.reasoningEffort;
  turn.state.running = {
    get model() {
      return models.id;
    },
    reasoningEffort,
  };
  const tools = await preparedTools(turn);
  const blocks = await hooks.collect("systemPrompt", turn);
  // The session's settings hold from here to the run's end; only loaded tools come in between.
  const scope = toolScopeOf(turn);
  const selection: ContextSelection = (await hooks.first("selectContext", turn)) ?? { anchor: "last" };
  const selector = selection.anchor === "last" ? undefined : new SelectedContext(tape, selection.anchor);
  const readSelected = async () => selector?.read(turn.signal);
  const builders = hooks.handlers("buildTapeContext").length;
  let toolset: Toolset | undefined;
  let loaded: readonly string[] = [];
  return {
    turn,
    models,
    context,
    guard: new LoopGuard(settings.loopGuard),
    interception: hookInterception(turn),
    system: blocks.map(({ answer }) => answer).join("\n\n"),
    reasoningEffort,
    usage: {},
    toolset() {
      if (toolset === undefined || loaded.length !== tape.facts.loaded.length) {
        loaded = [...tape.facts.loaded];
        toolset = createToolset(tools, { ...scope, loaded });
      }
      return toolset;
    },
    async messages() {
      const selected = await readSelected();
      const entries = selected?.entries ?? tape.recent;
      const own = builders === 0 ? undefined : await hooks.first("buildTapeContext", entries, selection, turn);
      return own ?? selected?.messages ?? context.messages;
    },
  };
}

/** What the entries of one step carry. */
export function stepMeta(turn: Turn, runId: RunId): JsonObject {
  return { run_id: runId, turn_id: turn.turnId };
}

async function closeOpenCalls({ tape }: Turn, context: TapeContext): Promise<void> {
  const drafts = context.openCalls.map(
    ({ id, name }): EntryDraft => ({
      kind: "tool_result",
      payload: { results: [{ ...interruptedError }] },
      meta: { calls: [{ id, name, status: "interrupted" }] },
    }),
  );
  if (drafts.length > 0) await tape.append(drafts);
}
