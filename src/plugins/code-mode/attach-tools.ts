// `attach_image`, `attach_audio`, `attach_video`: add media to the result of the code that calls them.
import { describeMedia, type MediaPart, type MediaType } from "../../base/content.ts";
import { BubError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Attachments } from "./attachments.ts";
import { readMedia } from "./media-source.ts";

export function attachTools(attachments: Attachments): Tool[] {
  return (["image", "audio", "video"] as const).map((kind) => attachTool(kind, attachments));
}

function attachTool(kind: MediaType, attachments: Attachments): Tool {
  const source = {
    anyOf: [{ type: "string" }, { type: "object" }],
    description: "path, URL, data URL, or object with url or data",
  };
  return defineTool({
    name: `attach_${kind}`,
    description: `Attach ${kind === "image" ? "an image" : kind === "audio" ? "an audio clip" : "a video"} to the result of this code.`,
    exposure: "code",
    input: { type: "object", properties: { [kind]: source }, required: [kind] },
    async run(args: JsonObject, { environment, callId, signal }): Promise<string> {
      if (!attachments.isOpen(callId)) throw outsideOfCode(kind);
      const part: MediaPart = await readMedia(args[kind], kind, { environment, signal });
      if (!attachments.add(callId, part)) throw outsideOfCode(kind);
      return `attached ${describeMedia(part)}`;
    },
  });
}

function outsideOfCode(kind: MediaType): BubError {
  return new BubError("tool", `tools.attach_${kind} can only be called from run_code.`);
}
