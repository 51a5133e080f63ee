// One message as input items of the Responses format.
import { type ContentPart, describeMedia, type MediaPart, textOf } from "../../base/content.ts";
import type { JsonObject } from "../../base/json.ts";
import { type MessageFormat, plainCallId, plainToolName, type RenderedMessage, type Side } from "../conversation.ts";
import { toBytes } from "../json-bytes.ts";
import { dataOf, hasMedia, readDataUrl, webAddressOf } from "../media-data.ts";
import type { LoadMedia, ModelMessage } from "../model.ts";
import { type Maker, piecesOf } from "../outline.ts";

type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;

/** `maker`: whose reasoning goes back. */
export function responsesFormat(maker: Maker): MessageFormat {
  return {
    callId: (id) => plainCallId(id, 64),
    render(message, ids, loadMedia) {
      switch (message.role) {
        case "assistant":
          return rendered("assistant", assistantItems(message, ids, maker));
        case "user":
          if (!hasMedia(message.content)) return rendered("user", [{ role: "user", content: textOf(message.content) }]);
          return userItem(message.content, loadMedia);
        case "tool": {
          if (!hasMedia(message.content)) return rendered("user", [outputItem(ids, textOf(message.content))]);
          return toolItem(message.content, ids, loadMedia);
        }
      }
    },
  };
}

function rendered(side: Side, items: readonly JsonObject[], sentMedia = false): RenderedMessage {
  return { side, blocks: items.map((item) => toBytes(item)), hasMedia: sentMedia };
}

function assistantItems(message: AssistantMessage, ids: readonly string[], maker: Maker): JsonObject[] {
  return piecesOf(message, maker).flatMap((piece): JsonObject[] => {
    if (piece.type === "own") return [piece.value];
    if (piece.type === "text")
      return piece.text === "" ? [] : [{ role: "assistant", content: piece.text, ...piece.extra }];
    const { name, arguments: args } = piece.call;
    const call = { type: "function_call", call_id: ids[piece.index], name: plainToolName(name) };
    return [{ ...call, arguments: JSON.stringify(args) }];
  });
}

function outputItem([id]: readonly string[], output: string | JsonObject[]): JsonObject {
  return { type: "function_call_output", call_id: id, output };
}

async function userItem(content: readonly ContentPart[], loadMedia: LoadMedia): Promise<RenderedMessage> {
  const parts = await wireParts(content, loadMedia);
  return rendered("user", [{ role: "user", content: parts }], parts.some(isMedia));
}

async function toolItem(
  content: readonly ContentPart[],
  ids: readonly string[],
  loadMedia: LoadMedia,
): Promise<RenderedMessage> {
  const parts = await wireParts(content, loadMedia);
  return rendered("user", [outputItem(ids, parts)], parts.some(isMedia));
}

function wireParts(content: readonly ContentPart[], loadMedia: LoadMedia): Promise<JsonObject[]> {
  return Promise.all(content.map((part) => (part.type === "text" ? textPart(part.text) : mediaPart(part, loadMedia))));
}

function textPart(text: string): JsonObject {
  return { type: "input_text", text };
}

/** The format has a place for images only; what else there is becomes a note. */
async function mediaPart(part: MediaPart, loadMedia: LoadMedia): Promise<JsonObject> {
  const known = webAddressOf(part) ?? (readDataUrl(part.url) === undefined ? undefined : part.url);
  if (part.type !== "image" || (part.url !== undefined && known === undefined)) return textPart(describeMedia(part));
  const url = known ?? `data:${part.media_type};base64,${await dataOf(part, loadMedia)}`;
  return { type: "input_image", image_url: url, detail: "auto" };
}

function isMedia({ type }: JsonObject): boolean {
  return type === "input_image";
}
