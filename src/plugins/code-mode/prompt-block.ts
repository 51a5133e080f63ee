// What the system prompt says of code mode: byte-stable as long as the tools are the same.
import { codeNameOf } from "../../tools/define-tool.ts";
import type { OwnedTool } from "../../tools/toolset.ts";

/** @param stubFile where the typed signatures stand */
export function renderCodeModeBlock(fromCode: readonly OwnedTool[], stubFile: string): string {
  const names = fromCode.map(({ tool }) => codeNameOf(tool)).join(", ");
  return [
    "<code_mode>",
    "Code mode is on: run_code runs Python 3, and these tools are async functions inside it, called with keyword",
    "arguments: await tools.<name>(key=value). asyncio.gather runs several at once.",
    `Tools: ${names}`,
    `Signatures: ${stubFile}`,
    "A call returns the tool's value and raises BubError (.kind, .message, .details) when it fails. Only what is printed,",
    "and media given to tools.attach_image, tools.attach_audio or tools.attach_video, comes back to you. Each run_code",
    "starts anew: no variable outlives it.",
    "</code_mode>",
  ].join("\n");
}
