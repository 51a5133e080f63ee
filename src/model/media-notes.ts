// Messages for a model that does not take media: a note stands where they were.
import { type Content, describeMedia, isMediaPart } from "../base/content.ts";
import type { ModelMessage } from "./model.ts";

const noted = new WeakMap<ModelMessage, ModelMessage>();

/** The message with each image, audio and video replaced by its description. The same object for the same message; itself without media. */
export function withMediaNotes(message: ModelMessage): ModelMessage {
  if (message.role === "assistant" || !hasMedia(message.content)) return message;
  const known = noted.get(message);
  if (known !== undefined) return known;
  const content = [...message.content].map((part) =>
    isMediaPart(part) ? ({ type: "text", text: describeMedia(part) } as const) : part,
  );
  const made: ModelMessage = { ...message, content };
  noted.set(message, made);
  return made;
}

function hasMedia(content: Content): content is Exclude<Content, string> {
  return typeof content !== "string" && content.some(isMediaPart);
}
