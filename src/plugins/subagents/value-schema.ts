// What the tools of subagents give, for typed code.
import type { JsonSchema } from "../../base/schema.ts";

export const taskSchema: JsonSchema = {
  type: "object",
  properties: {
    task_id: { type: "string" },
    session_id: { type: "string" },
    status: { enum: ["queued", "running", "completed", "failed", "cancelled"] },
    output: { type: "string" },
    errors: { type: "array", items: { type: "string" } },
  },
  required: ["task_id", "session_id", "status", "output", "errors"],
};
