// Decides whether a result is too large for the conversation, and what stands there in its place.
import type { Content, ContentPart } from "../../base/content.ts";
import { grouped, isLongerThan, previewOf } from "../../base/text-preview.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { eventDraft } from "../../tape/entry.ts";
import type { ToolOutcome } from "../../tools/outcome.ts";
import type { Toolset } from "../../tools/toolset.ts";
import { type Manifest, sidecarName, writeSpill } from "./spill-store.ts";

/** What a token is taken for (characters). */
const charactersPerToken = 4;
const reader = "spill.read";

export interface SpillPlace {
  readonly turn: Turn;
  /** Tokens; 0 spills nothing. */
  readonly threshold: number;
}

/** Undefined: the result stays as it is. Media always stay. */
export async function spillOutcome(
  outcome: ToolOutcome,
  toolset: Toolset,
  { turn, threshold }: SpillPlace,
): Promise<ToolOutcome | undefined> {
  const text = textOf(outcome.content);
  if (threshold === 0 || !isLongerThan(threshold * charactersPerToken, text)) return undefined;
  const isReader = toolset.find(outcome.name, "model")?.tool.name === reader;
  if (isReader || !toolset.offered.some(({ tool }) => tool.name === reader)) return undefined;
  const notice = await store(text, outcome.name, turn);
  return { ...outcome, text: notice, content: withNotice(outcome.content, notice) };
}

async function store(text: string, tool: string, turn: Turn): Promise<string> {
  try {
    const manifest = await writeSpill(await turn.sidecar(sidecarName), text, tool);
    await record(turn, { status: "ok", ...manifest });
    return `${handleLines(manifest)}\n${previewOf(text)}`;
  } catch (error) {
    turn.log.error("a large result could not be stored", { tool, error });
    const bytes = Buffer.byteLength(text);
    await record(turn, { status: "error", bytes, tool });
    return `[tool output truncated: ${grouped(bytes)} bytes; it could not be stored]\n${previewOf(text)}`;
  }
}

async function record({ tape, turnId }: Turn, data: Record<string, string | number>): Promise<void> {
  await tape.append([eventDraft("spill.write", data, { turn_id: turnId, context: false })]);
}

function handleLines({ handle, bytes, chunks }: Manifest): string {
  return [
    `[tool output spilled: ${grouped(bytes)} bytes in ${chunks} chunks; handle: ${handle}]`,
    `[read with: spill_read(handle='${handle}', cursor=0, count=1, from_end=false)]`,
  ].join("\n");
}

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function withNotice(content: Content, notice: string): Content {
  if (typeof content === "string") return notice;
  const media = content.filter((part): part is ContentPart => part.type !== "text");
  return [{ type: "text", text: notice }, ...media];
}
