// Messages for a model that does not take all media: a note, or another medium, stands where the others were.
import { type Content, type ContentPart, describeMedia, isMediaPart, type MediaPart } from "../base/content.ts";
import type { ModelMessage } from "./model.ts";

interface Noted {
  /** What stands in place of what; something else makes another message. */
  readonly key: string;
  readonly message: ModelMessage;
}

const noted = new WeakMap<ModelMessage, Noted>();

/**
 * The message with media replaced by notes or by other media. The same object for the same message and replacements;
 * itself where nothing is replaced.
 * @param insteadOf a note, or a stored medium; undefined: the part stays; default: all media are described
 */
export function withMediaNotes(
  message: ModelMessage,
  insteadOf: (part: MediaPart) => string | MediaPart | undefined = describeMedia,
): ModelMessage {
  if (message.role === "assistant" || !hasMedia(message.content)) return message;
  const content = message.content.map((part): ContentPart => {
    const instead = isMediaPart(part) ? insteadOf(part) : undefined;
    if (instead === undefined) return part;
    return typeof instead === "string" ? { type: "text", text: instead } : instead;
  });
  const notes = content.map((part, index) => (part === message.content[index] ? null : part));
  if (notes.every((note) => note === null)) return message;
  const key = JSON.stringify(notes);
  const known = noted.get(message);
  if (known?.key === key) return known.message;
  const made: ModelMessage = { ...message, content };
  noted.set(message, { key, message: made });
  return made;
}

function hasMedia(content: Content): content is Exclude<Content, string> {
  return typeof content !== "string" && content.some(isMediaPart);
}
