// Text commands: a person's message that starts with the prefix runs a tool, without any model.
import { type Content, textOf } from "../../base/content.ts";
import type { Inbound } from "../../kernel/envelope.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { splitCommand } from "../../tools/command-line.ts";
import { runCommand } from "./command.ts";
import { helpTool } from "./help.ts";
import { quitTool } from "./quit.ts";
import { runShellCommand } from "./shell-command.ts";

/** Commands that do not wait for the end of a run. */
const immediate = new Set([
  "help",
  "model",
  "reasoning_effort",
  "code_mode",
  "tape.info",
  "tape.anchors",
  "tape.search",
  "bash.output",
  "bash.kill",
  "subagent.wait",
  "subagent.cancel",
]);

export const commandsPlugin = definePlugin(({ settings }) => {
  const prefix = settings.commandPrefix;
  return {
    name: "commands",
    provideTools: (runtime) => [helpTool(runtime), quitTool(runtime)],
    buildPrompt(inbound) {
      if (inbound.shell === true) return { kind: "command", line: ownText(inbound.content), shell: true };
      const line = commandOf(inbound, prefix);
      return line === undefined ? undefined : { kind: "command", line };
    },
    runModel(prompt, turn) {
      if (prompt.kind !== "command") return undefined;
      return prompt.shell === true ? runShellCommand(prompt.line, turn) : runCommand(prompt.line, turn);
    },
    admitMessage(inbound) {
      if (inbound.shell === true) return "follow_up";
      const line = commandOf(inbound, prefix);
      if (line === undefined) return undefined;
      const { name } = splitCommand(line);
      if (name === "quit") return "quit";
      return immediate.has(name) ? "now" : "follow_up";
    },
  };
});

/** The line after the prefix; undefined when the message is no command, or may be none. */
function commandOf({ commands, content }: Inbound, prefix: string): string | undefined {
  const text = commands === true ? ownText(content) : "";
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}

function ownText(content: Content): string {
  return typeof content === "string" ? content : textOf(content.filter(({ type }) => type === "text"));
}
