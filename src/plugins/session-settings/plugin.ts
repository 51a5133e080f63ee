// Settings of one conversation, kept on its tape: model, reasoning effort, code mode, read-only.
import { definePlugin } from "../../kernel/plugin.ts";
import { modelCommand } from "./model-command.ts";
import { reasoningEffortCommand } from "./reasoning-effort-command.ts";
import { codeModeCommand, readonlyCommand } from "./switch-command.ts";

export const sessionSettingsPlugin = definePlugin({
  name: "session-settings",
  provideTools: (runtime) => [
    modelCommand(runtime),
    reasoningEffortCommand(runtime),
    codeModeCommand(),
    readonlyCommand(),
  ],
});
