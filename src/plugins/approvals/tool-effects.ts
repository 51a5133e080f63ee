// Which tools leave the world as it is.

/** They read, or change nothing but the conversation itself. Everything else, also of plugins, may write. */
const readingTools = new Set([
  "fs.read",
  "bash.output",
  "bash.kill",
  "web.fetch",
  "skill",
  "tool.describe",
  "spill.read",
  "tape.info",
  "tape.search",
  "tape.anchors",
  "tape.handoff",
  "subagent.wait",
  "subagent.cancel",
  "attach_image",
  "attach_audio",
  "attach_video",
]);

/** They start others, whose calls are judged one by one. */
const delegatingTools = new Set(["subagent", "subagent.send"]);

export function mayWrite(tool: string): boolean {
  return !readingTools.has(tool);
}

export function isDelegating(tool: string): boolean {
  return delegatingTools.has(tool);
}
