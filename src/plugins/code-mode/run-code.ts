// `run_code`: runs Python in the session's environment and gives back what it printed and attached.
import * as v from "valibot";
import type { Content } from "../../base/content.ts";
import { BubError } from "../../base/errors.ts";
import { codeNameOf, defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Attachments } from "./attachments.ts";
import { NestedCalls } from "./nested-calls.ts";

export function runCodeTool(attachments: Attachments): Tool {
  return defineTool({
    name: "run_code",
    description:
      "Run Python 3 with top-level await. Call tools with `await tools.<name>(key=value)`. Only printed output and attached media come back.",
    exposure: "direct",
    exclusive: true,
    input: v.strictObject({
      code: v.pipe(v.string(), v.description("Python source")),
      timeout_seconds: v.optional(
        v.pipe(v.number(), v.gtValue(0), v.description("stop the code after this long")),
        120,
      ),
    }),
    async run({ code, timeout_seconds: seconds }, context): Promise<Content> {
      const { callId, environment, signal, toolset } = context;
      if (!toolset.codeMode) throw new BubError("tool", "Code mode is not enabled for this run.");
      attachments.begin(callId);
      using calls = new NestedCalls(context);
      try {
        const { output, error } = await environment.runCode({
          code,
          sessionId: context.turn.sessionId,
          timeoutMs: seconds * 1000,
          signal,
          tools: toolset.fromCode.map(({ tool }) => codeNameOf(tool)),
          direct: toolset.offered.map(({ tool }) => codeNameOf(tool)),
          call: (name, args) => calls.run(name, args),
        });
        if (error !== undefined) throw new BubError("tool", error.message, { details: error.details });
        return withMedia(output, attachments.take(callId));
      } finally {
        attachments.take(callId);
      }
    },
    render: (content: Content) => content,
  });
}

function withMedia(output: string, media: ReturnType<Attachments["take"]>): Content {
  if (media.length === 0) return output;
  return output === "" ? media : [{ type: "text", text: output }, ...media];
}
