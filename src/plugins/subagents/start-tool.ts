// `subagent`: starts a task in the background and answers at once.
import * as v from "valibot";
import type { JsonValue } from "../../base/json.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Profile } from "./profile-file.ts";
import type { TaskValue } from "./task.ts";
import { parsePrompt } from "./task-order.ts";
import type { TaskStarter } from "./task-starter.ts";
import { taskSchema } from "./value-schema.ts";

const about =
  "Start a subagent that works in the background; its result comes as a message when it ends. Its tools and skills are at most yours.";

export function startTool(starter: TaskStarter, profiles: readonly Profile[]): Tool {
  return defineTool({
    name: "subagent",
    description: [about, ...profileLines(profiles)].join("\n"),
    input: v.strictObject({
      prompt: v.pipe(
        v.union([v.string(), v.array(v.looseObject({ type: v.string() }))]),
        v.description("the task, with all it needs to know"),
      ),
      agent: v.optional(v.pipe(v.string(), v.description("profile"))),
      description: v.optional(v.pipe(v.string(), v.description("short label"))),
      model: v.optional(v.pipe(v.string(), v.description("provider:model"))),
      reasoning_effort: v.optional(v.string()),
      session: v.optional(
        v.pipe(
          v.string(),
          v.description(
            "temp (default): empty, discarded; fork: a copy of this conversation; else the id of a session to keep",
          ),
        ),
      ),
      allowed_tools: v.optional(v.array(v.string())),
      allowed_skills: v.optional(v.array(v.string())),
      timeout_seconds: v.optional(v.pipe(v.number(), v.gtValue(0))),
    }),
    output: taskSchema,
    async run(args, context): Promise<TaskValue> {
      const { prompt, agent, description, model, session } = args;
      const order = {
        agent,
        description,
        model,
        reasoningEffort: args.reasoning_effort,
        session,
        allowedTools: args.allowed_tools,
        allowedSkills: args.allowed_skills,
        timeoutSeconds: args.timeout_seconds,
      };
      return (await starter.start(order, parsePrompt(prompt as JsonValue), context)).value;
    },
  });
}

function profileLines(profiles: readonly Profile[]): string[] {
  if (profiles.length === 0) return [];
  return [
    "Profiles:",
    ...profiles.map(({ name, description }) => (description === "" ? `- ${name}` : `- ${name}: ${description}`)),
  ];
}
