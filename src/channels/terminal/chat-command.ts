// Text commands that are about the conversation's own surface: they act at once, without a turn.
import type { JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/schema.ts";
import { parseCommand, splitCommand } from "../../tools/command-line.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";

export interface ChatCommand {
  /** For `,help` and completion, which know tools. */
  readonly tool: Tool;
  /** Acts, and answers what there is to say. */
  act(args: JsonObject): Promise<string> | string;
}

export interface ChatCommandDefinition {
  name: string;
  description: string;
  /** By name, each a text that may be left out. */
  parameters?: Readonly<Record<string, string>>;
  act: ChatCommand["act"];
}

export function defineChatCommand({ name, description, parameters = {}, act }: ChatCommandDefinition): ChatCommand {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, help]) => [key, { type: "string", description: help }]),
  );
  const input: JsonSchema = { type: "object", properties, additionalProperties: false };
  return { tool: defineTool({ name, description, exposure: "command", input, run: async (args) => act(args) }), act };
}

/**
 * Runs the command that a line, without its prefix, names.
 * @returns undefined when it names none of them; else what there is to say
 */
export function actOn(line: string, commands: readonly ChatCommand[]): Promise<string> | undefined {
  const { name, rest } = splitCommand(line);
  const command = commands.find(({ tool }) => tool.name === name);
  return command === undefined ? undefined : act(command, rest);
}

async function act(command: ChatCommand, rest: string): Promise<string> {
  const { arguments: args, problem } = await parseCommand(command.tool, rest);
  if (problem !== undefined) throw new Error(problem.message);
  return command.act(args);
}
