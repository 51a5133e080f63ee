// One message as parts of the Gemini format.
import { type ContentPart, describeMedia, isMediaPart, type MediaPart, textOf } from "../../base/content.ts";
import type { JsonObject } from "../../base/json.ts";
import { type MessageFormat, plainCallId, plainToolName, type RenderedMessage, type Side } from "../conversation.ts";
import { toBytes } from "../json-bytes.ts";
import { dataOf, hasMedia, readDataUrl } from "../media-data.ts";
import type { LoadMedia, ModelMessage } from "../model.ts";
import { type Maker, piecesOf } from "../outline.ts";
import { generationOf } from "./generation.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;
type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;

/** `maker`: whose thought signatures go back. */
export function geminiFormat(maker: Maker): MessageFormat {
  const takesMediaInResults = generationOf(maker.modelId) >= 3;
  return {
    opening,
    sides,
    callId: (id) => plainCallId(id, 64),
    render(message, ids, loadMedia) {
      switch (message.role) {
        case "assistant":
          return rendered("assistant", assistantParts(message, ids, maker));
        case "user":
          if (!hasMedia(message.content)) return rendered("user", [textPart(textOf(message.content))]);
          return userMessage(message.content, loadMedia);
        case "tool":
          if (!hasMedia(message.content))
            return rendered("user", [responsePart(message, ids, textOf(message.content))]);
          return toolMessage(message, message.content, { ids, loadMedia, takesMediaInResults });
      }
    },
  };
}

function rendered(side: Side, parts: readonly JsonObject[], sentMedia = false): RenderedMessage {
  return { side, blocks: parts.map((part) => toBytes(part)), hasMedia: sentMedia };
}

/** Calls without a signature, of others or lost, get the mark that the API documents for them; it refuses them without one. */
function assistantParts(message: AssistantMessage, ids: readonly string[], maker: Maker): JsonObject[] {
  const wantsSignature = generationOf(maker.modelId) >= 3;
  return piecesOf(message, maker).flatMap((piece): JsonObject[] => {
    if (piece.type === "own") return [piece.value];
    if (piece.type === "text")
      return piece.text.trim() === "" && Object.keys(piece.extra).length === 0
        ? []
        : [{ text: piece.text, ...piece.extra }];
    const { name, arguments: args } = piece.call;
    const isUnsigned = wantsSignature && piece.index === 0 && piece.extra.thoughtSignature === undefined;
    const mark = isUnsigned ? { thoughtSignature: "skip_thought_signature_validator" } : {};
    return [{ functionCall: { id: ids[piece.index], name: plainToolName(name), args }, ...piece.extra, ...mark }];
  });
}

async function userMessage(content: readonly ContentPart[], loadMedia: LoadMedia): Promise<RenderedMessage> {
  const parts = await Promise.all(
    content.map((part) => (part.type === "text" ? textPart(part.text) : mediaPart(part, loadMedia))),
  );
  return rendered("user", parts, parts.some(isMedia));
}

interface ResultOptions {
  readonly ids: readonly string[];
  readonly loadMedia: LoadMedia;
  /** Images may stand in the result itself; else, and other media always, they come after the results of the step. */
  readonly takesMediaInResults: boolean;
}

async function toolMessage(
  message: ToolMessage,
  content: readonly ContentPart[],
  { ids, loadMedia, takesMediaInResults }: ResultOptions,
): Promise<RenderedMessage> {
  const media = await Promise.all(
    content.filter(isMediaPart).map(async (part) => ({ part, wire: await mediaPart(part, loadMedia) })),
  );
  const sent = media.filter(({ wire }) => isMedia(wire));
  const inside = sent.filter(({ part }) => takesMediaInResults && part.type === "image");
  const outside = sent.filter((item) => !inside.includes(item));
  const text = content
    .map((part) => {
      if (part.type === "text") return part.text;
      const isAfter = outside.some((item) => item.part === part);
      return isAfter ? `${describeMedia(part)} (after the results)` : describeMedia(part);
    })
    .join("\n");
  const response = responsePart(
    message,
    ids,
    text,
    inside.map(({ wire }) => wire),
  );
  const title = textPart(`Media of the result of ${message.name} (${ids[0]}):`);
  const after = outside.length === 0 ? [] : [title, ...outside.map(({ wire }) => wire)];
  return { ...rendered("user", [response], sent.length > 0), afterResults: after.map((part) => toBytes(part)) };
}

function responsePart(
  { name, isError }: ToolMessage,
  [id]: readonly string[],
  text: string,
  parts: JsonObject[] = [],
): JsonObject {
  const response = isError ? { error: text } : { output: text };
  return { functionResponse: { id, name: plainToolName(name), response, ...(parts.length > 0 && { parts }) } };
}

/** The API refuses texts of blanks. */
function textPart(text: string): JsonObject {
  return { text: text.trim() === "" ? "(empty)" : text };
}

async function mediaPart(part: MediaPart, loadMedia: LoadMedia): Promise<JsonObject> {
  const inline = readDataUrl(part.url);
  if (part.url !== undefined && inline === undefined) return textPart(describeMedia(part));
  const mimeType = inline?.mediaType ?? part.media_type;
  if (part.type === "image" && !imageTypes.has(mimeType)) return textPart(describeMedia(part));
  return { inlineData: { mimeType, data: inline?.data ?? (await dataOf(part, loadMedia)) } };
}

/** It refuses requests with any other, GIF among them. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]);

function isMedia(part: JsonObject): boolean {
  return part.inlineData !== undefined;
}

/** The API refuses conversations that begin with an answer. */
const opening = toBytes(textPart("(the conversation goes on)"));

const sides = { user: Buffer.from('{"role":"user","parts":['), assistant: Buffer.from('{"role":"model","parts":[') };
