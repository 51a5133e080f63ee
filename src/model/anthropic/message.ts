// One message as blocks of the Messages format.
import { type Content, type ContentPart, describeMedia, type MediaPart, textOf } from "../../base/content.ts";
import type { JsonObject } from "../../base/json.ts";
import { type MessageFormat, plainCallId, plainToolName, type RenderedMessage } from "../conversation.ts";
import { toBytes } from "../json-bytes.ts";
import { dataOf, hasMedia, readDataUrl, webAddressOf } from "../media-data.ts";
import type { LoadMedia, ModelMessage } from "../model.ts";
import { type Maker, piecesOf } from "../outline.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;
type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;

/** `maker`: whose thinking goes back. */
export function messagesFormat(maker: Maker): MessageFormat {
  return {
    opening,
    sides,
    callId: (id) => plainCallId(id, 64),
    render(message, ids, loadMedia) {
      switch (message.role) {
        case "assistant":
          return rendered("assistant", assistantBlocks(message, ids, maker));
        case "user":
          if (!hasMedia(message.content)) return rendered("user", [textBlock(textOf(message.content))]);
          return userMessage(message.content, loadMedia);
        case "tool":
          if (!hasMedia(message.content)) return rendered("user", [resultBlock(message, ids, textOf(message.content))]);
          return toolMessage(message, ids, loadMedia);
      }
    },
  };
}

function rendered(side: "user" | "assistant", blocks: readonly JsonObject[], sentMedia = false): RenderedMessage {
  return { side, blocks: blocks.map((block) => toBytes(block)), hasMedia: sentMedia };
}

/** May be none: an answer of blanks, which the API refuses. */
function assistantBlocks(message: AssistantMessage, ids: readonly string[], maker: Maker): JsonObject[] {
  return piecesOf(message, maker).flatMap((piece): JsonObject[] => {
    if (piece.type === "own") return [piece.value];
    if (piece.type === "text") return piece.text.trim() === "" ? [] : [{ type: "text", text: piece.text }];
    const { name, arguments: input } = piece.call;
    return [{ type: "tool_use", id: ids[piece.index], name: plainToolName(name), input }];
  });
}

async function userMessage(content: readonly ContentPart[], loadMedia: LoadMedia): Promise<RenderedMessage> {
  const blocks = await contentBlocks(content, loadMedia);
  return rendered("user", blocks, blocks.some(isImage));
}

/** The API takes nothing but text in the result of a call that failed: its images come after the results. */
async function toolMessage(
  message: ToolMessage,
  ids: readonly string[],
  loadMedia: LoadMedia,
): Promise<RenderedMessage> {
  const blocks = await contentBlocks(message.content, loadMedia);
  const images = blocks.filter(isImage);
  if (!message.isError || images.length === 0)
    return rendered("user", [resultBlock(message, ids, blocks)], images.length > 0);
  const note = textBlock(`[images: ${images.length}, after the results]`);
  const texts = [...blocks.filter((block) => !isImage(block)), note];
  const title = textBlock(`Images of the result of ${message.name} (${ids[0]}):`);
  return {
    ...rendered("user", [resultBlock(message, ids, texts)], true),
    afterResults: [title, ...images].map((block) => toBytes(block)),
  };
}

function resultBlock({ isError }: ToolMessage, [id]: readonly string[], content: string | JsonObject[]): JsonObject {
  return { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
}

async function contentBlocks(content: Content, loadMedia: LoadMedia): Promise<JsonObject[]> {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return Promise.all(parts.map((part) => (part.type === "text" ? textBlock(part.text) : mediaBlock(part, loadMedia))));
}

/** The API refuses texts of blanks. */
function textBlock(text: string): JsonObject {
  return { type: "text", text: text.trim() === "" ? "(empty)" : text };
}

async function mediaBlock(part: MediaPart, loadMedia: LoadMedia): Promise<JsonObject> {
  const source = part.type === "image" ? await imageSource(part, loadMedia) : undefined;
  return source === undefined ? textBlock(describeMedia(part)) : { type: "image", source };
}

/** Undefined: the format has no place for it. */
async function imageSource(part: MediaPart, loadMedia: LoadMedia): Promise<JsonObject | undefined> {
  const url = webAddressOf(part);
  if (url !== undefined) return { type: "url", url };
  const inline = readDataUrl(part.url);
  if (part.url !== undefined && inline === undefined) return undefined;
  const mediaType = inline?.mediaType ?? part.media_type;
  if (!imageTypes.has(mediaType)) return undefined;
  return { type: "base64", media_type: mediaType, data: inline?.data ?? (await dataOf(part, loadMedia)) };
}

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function isImage({ type }: JsonObject): boolean {
  return type === "image";
}

/** The API refuses conversations that begin with an answer. */
const opening = toBytes(textBlock("(the conversation goes on)"));

const sides = {
  user: Buffer.from('{"role":"user","content":['),
  assistant: Buffer.from('{"role":"assistant","content":['),
};
