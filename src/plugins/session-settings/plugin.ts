// Settings of one conversation, kept on its tape: model, reasoning effort, code mode, read-only.
import { definePlugin } from "../../kernel/plugin.ts";
import { modelCommand } from "./model-command.ts";
import { ModelNames } from "./model-names.ts";
import { reasoningEffortCommand } from "./reasoning-effort-command.ts";
import { codeModeCommand, readonlyCommand } from "./switch-command.ts";

export const sessionSettingsPlugin = definePlugin(() => {
  const models = new ModelNames();
  return {
    name: "session-settings",
    provideTools: (runtime) => [
      modelCommand(runtime),
      reasoningEffortCommand(runtime),
      codeModeCommand(),
      readonlyCommand(),
    ],
    async suggestWords(typed, runtime, signal) {
      if (typed.kind !== "argument" || typed.command !== "model" || typed.parameter !== "model_id") return undefined;
      return (await models.list(runtime, signal)).map((value) => ({ value }));
    },
  };
});
