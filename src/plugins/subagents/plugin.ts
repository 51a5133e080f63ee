// Subagents: tasks in the background that report to the conversation that started them.
import { join } from "node:path";
import { CancelledError } from "../../base/abort.ts";
import { homeOfUser } from "../../base/user-home.ts";
import type { Diagnosis } from "../../kernel/diagnosis.ts";
import type { Prompt } from "../../kernel/envelope.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { PluginHost } from "../../kernel/plugin-host.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { cancelTool } from "./cancel-tool.ts";
import { isChildSession } from "./child-session.ts";
import { Deliveries } from "./deliveries.ts";
import { renderNotification } from "./notification.ts";
import { Profiles } from "./profiles.ts";
import { sendTool } from "./send-tool.ts";
import { startTool } from "./start-tool.ts";
import { TaskBoard } from "./task-board.ts";
import { TaskLookup } from "./task-lookup.ts";
import { TaskRecords } from "./task-records.ts";
import { TaskStarter } from "./task-starter.ts";
import { waitTool } from "./wait-tool.ts";

export const subagentsPlugin = definePlugin((host: PluginHost) => {
  const { workspace, env, config, log } = host;
  const own = workspace === undefined ? [] : [join(workspace, ".agents", "agents")];
  const folders = [...own, join(homeOfUser(env), ".agents", "agents")];
  const profiles = new Profiles({ folders, config: config.subagents, log });
  const records = new TaskRecords(log);
  const board = new TaskBoard(host, records);
  const lookup = new TaskLookup(board, records);
  const starter = new TaskStarter({ profiles, records, board });
  const deliveries = new Deliveries();
  return {
    name: "subagents",
    provideTools: async (runtime) => [
      startTool(starter, await profiles.list(runtime)),
      waitTool({ board, lookup, deliveries }),
      sendTool({ board, lookup, starter }),
      cancelTool({ board, lookup }),
    ],
    systemPrompt: ({ state }) => state.subagent?.instructions || undefined,
    async loadState(turn) {
      if (!turn.isChild) {
        await records.recover(turn);
        await board.retell(turn);
      }
      return {};
    },
    continueRun: (turn) => (turn.isChild ? undefined : moreOf(turn, board)),
    afterToolCall: (outcome, call) => deliveries.settle(outcome, call),
    saveState: (turn) => deliveries.forget(turn),
    // Children have no tasks, and there may be very many of them.
    endSession: (sessionId, runtime) => (isChildSession(sessionId) ? undefined : board.quit(sessionId, runtime)),
    diagnose: (runtime) => diagnoseProfiles(runtime, profiles),
    lifespan: (runtime) => life(runtime, board, records),
  };
});

/** Ends come by the inbox; only one that the storage refused comes from here. */
async function moreOf(turn: Turn, board: TaskBoard): Promise<Prompt | "outstanding" | undefined> {
  const [untold] = await board.retell(turn);
  if (untold !== undefined) {
    board.told([untold.task_id]);
    return { kind: "message", content: renderNotification(untold), meta: { tasks: [untold.task_id] } };
  }
  return board.isOutstanding(turn) ? "outstanding" : undefined;
}

async function diagnoseProfiles(runtime: Runtime, profiles: Profiles): Promise<Diagnosis> {
  const names = (await profiles.list(runtime)).map(({ name }) => name);
  return {
    title: "Subagent profiles",
    facts: [{ name: "found", value: names.length === 0 ? "none" : `${names.length}: ${names.join(", ")}` }],
    findings: (await profiles.problems(runtime)).map((sentence) => ({ sentence, severity: "problem" })),
  };
}

function life({ ending }: Runtime, board: TaskBoard, records: TaskRecords): AsyncDisposable {
  const end = () => board.cancelAll(new CancelledError("the runtime ended"));
  ending.addEventListener("abort", () => void end(), { once: true });
  return {
    async [Symbol.asyncDispose]() {
      await end();
      await records[Symbol.asyncDispose]();
    },
  };
}
