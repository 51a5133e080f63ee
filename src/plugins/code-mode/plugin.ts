// Code mode: the model writes Python that calls the other tools.
import { definePlugin } from "../../kernel/plugin.ts";
import { runToolset } from "../../kernel/run-tools.ts";
import { attachTools } from "./attach-tools.ts";
import { Attachments } from "./attachments.ts";
import { renderCodeModeBlock } from "./prompt-block.ts";
import { runCodeTool } from "./run-code.ts";
import { StubFiles } from "./stub-files.ts";

export const codeModePlugin = definePlugin(({ settings }) => {
  const attachments = new Attachments();
  const stubs = new StubFiles(settings.home);
  return {
    name: "code-mode",
    provideTools: () => [runCodeTool(attachments), ...attachTools(attachments)],
    async systemPrompt(turn) {
      const { codeMode, fromCode } = await runToolset(turn);
      if (!codeMode) return undefined;
      return renderCodeModeBlock(fromCode, await stubs.write(fromCode, turn.environment));
    },
  };
});
