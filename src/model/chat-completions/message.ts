// One message as bytes of a request, made once for each message object.
import {
  type Content,
  type ContentPart,
  describeMedia,
  isMediaPart,
  type MediaPart,
  textOf,
} from "../../base/content.ts";
import type { JsonValue } from "../../base/json.ts";
import { plainToolName } from "../conversation.ts";
import { toBytes, toText } from "../json-bytes.ts";
import type { LoadMedia, ModelMessage } from "../model.ts";
import { bridgeWords } from "../model-families.ts";
import { keptReasoningFromJson } from "./reasoning.ts";

export interface Fragment {
  /** One element of `messages`, with a comma before it. */
  readonly bytes: Uint8Array;
  /**
   * Content parts that a tool message cannot hold in this format: they go into a user message after the results of the
   * same step.
   */
  readonly hoisted: readonly Uint8Array[];
  /** Holds images or audio. */
  readonly hasMedia: boolean;
}

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;
type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type WirePart = { [key: string]: JsonValue };

/** What is said to one server otherwise than to others. */
export interface ServerTraits {
  /** The parts of `provider:model`: whose reasoning goes back. */
  readonly provider: string;
  readonly modelId: string;
  /** Answers of others, too, must say what was thought, be it nothing. */
  readonly wantsReasoning?: boolean;
  /** Takes videos, and audio beyond the two formats that OpenAI takes. */
  readonly takesAllMedia?: boolean;
  /** Refuses words of the user's right behind the result of a call. */
  readonly wantsAnswerAfterResults?: boolean;
  /** An id of a call as the server takes it, the same for the same id; default: any id. */
  readonly callId?: (id: string) => string;
}

/** Serialises messages for one server and remembers each by its object. */
export class FragmentCache {
  readonly #known = new WeakMap<ModelMessage, Fragment>();
  readonly #traits: ServerTraits;

  constructor(traits: ServerTraits) {
    this.#traits = traits;
  }

  /** Waits only for media that have to be loaded. */
  get(message: ModelMessage, loadMedia: LoadMedia): Fragment | Promise<Fragment> {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const made = this.#make(message, loadMedia);
    if (!(made instanceof Promise)) return this.#keep(message, made);
    return made.then((fragment) => this.#keep(message, fragment));
  }

  /** Drops what another form of these messages' bytes has made needless. */
  forget(messages: readonly ModelMessage[]): void {
    for (const message of messages) this.#known.delete(message);
  }

  #keep(message: ModelMessage, fragment: Fragment): Fragment {
    this.#known.set(message, fragment);
    return fragment;
  }

  /** What stands between results and words of the user: an answer, with a comma before it, or nothing. */
  get bridge(): string {
    return this.#traits.wantsAnswerAfterResults ? bridgeText : "";
  }

  /** The elements of messages that were not asked for yet, as one text; undefined when one of them has media. */
  textOf(messages: readonly ModelMessage[]): string | undefined {
    let text = "";
    for (const [index, message] of messages.entries()) {
      const plain = this.#known.has(message) ? undefined : plainMessage(message, this.#traits);
      if (plain === undefined) return undefined;
      const isBridged = message.role === "user" && messages[index - 1]?.role === "tool";
      text += `${isBridged ? this.bridge : ""},${toText(plain)}`;
    }
    return text;
  }

  #make(message: ModelMessage, loadMedia: LoadMedia): Fragment | Promise<Fragment> {
    const plain = plainMessage(message, this.#traits);
    if (plain !== undefined) return { bytes: toBytes(plain, ","), hoisted: [], hasMedia: false };
    const content = message.content as readonly ContentPart[];
    const write = (part: ContentPart) => wirePart(part, loadMedia, this.#traits);
    return message.role === "tool"
      ? toolFragment(message, content, { write, traits: this.#traits })
      : userFragment(content, write);
  }
}

/** A user message of parts that are bytes already, with a comma before it. */
export function userMessageOf(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const separated = parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
  return [userStart, ...separated, userEnd];
}

const comma = Buffer.from(",");
const bridgeText = `,${toText({ role: "assistant", content: bridgeWords })}`;
const userStart = Buffer.from(',{"role":"user","content":[');
const userEnd = Buffer.from("]}");

function plainMessage(message: ModelMessage, traits: ServerTraits): WirePart | undefined {
  if (message.role === "assistant") return assistantMessage(message, traits);
  if (hasMedia(message.content)) return undefined;
  const text = textOf(message.content);
  return message.role === "tool" ? toolMessage(message, text, traits) : { role: "user", content: text };
}

function assistantMessage(
  { content, reasoning, providerData, calls = [] }: AssistantMessage,
  { provider, modelId, wantsReasoning = false, callId = same }: ServerTraits,
): WirePart {
  const kept = keptReasoningFromJson(providerData, { provider, modelId });
  const text = content === undefined || content === "" ? null : content;
  const field = kept?.details === undefined ? kept?.field : undefined;
  const isSilent = wantsReasoning && kept === undefined;
  return {
    role: "assistant",
    // Without text there must be calls, or the message is refused.
    content: text ?? (calls.length > 0 ? null : ""),
    ...(kept?.details !== undefined && { reasoning_details: [...kept.details] }),
    ...(field !== undefined && { [field]: reasoning ?? "" }),
    ...(isSilent && { reasoning_content: "" }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: args }, index) => ({
        id: callId(id),
        type: "function",
        function: { name: plainToolName(name), arguments: JSON.stringify(args) },
        ...(kept?.calls?.[index] != null && { extra_content: kept.calls[index] }),
      })),
    }),
  };
}

function toolMessage({ callId: id }: ToolMessage, content: string, { callId = same }: ServerTraits): WirePart {
  return { role: "tool", tool_call_id: callId(id), content };
}

const same = (id: string): string => id;

type WritePart = (part: ContentPart) => Promise<WirePart>;

async function userFragment(content: readonly ContentPart[], write: WritePart): Promise<Fragment> {
  const parts = await Promise.all(content.map(write));
  const sent = parts.some((part) => part.type !== "text");
  return { bytes: toBytes({ role: "user", content: parts }, ","), hoisted: [], hasMedia: sent };
}

async function toolFragment(
  message: ToolMessage,
  content: readonly ContentPart[],
  { write, traits }: { write: WritePart; traits: ServerTraits },
): Promise<Fragment> {
  const media = await Promise.all(content.filter(isMediaPart).map(async (part) => ({ part, wire: await write(part) })));
  const sent = new Map(
    media.filter(({ wire }) => wire.type !== "text").map(({ part, wire }) => [part as ContentPart, wire]),
  );
  const text = content.map((part) => noteOf(part, sent.has(part))).join("\n");
  const bytes = toBytes(toolMessage(message, text, traits), ",");
  if (sent.size === 0) return { bytes, hoisted: [], hasMedia: false };
  const title = { type: "text", text: `Media of the result of ${message.name} (${message.callId}):` };
  return { bytes, hoisted: [title, ...sent.values()].map((part) => toBytes(part)), hasMedia: true };
}

function noteOf(part: ContentPart, isSent: boolean): string {
  if (part.type === "text") return part.text;
  return isSent ? `${describeMedia(part)} (in the message after the results)` : describeMedia(part);
}

/** A part as the server takes it; what it has no place for becomes a note. */
async function wirePart(part: ContentPart, loadMedia: LoadMedia, { takesAllMedia }: ServerTraits): Promise<WirePart> {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "audio") {
    const formats = takesAllMedia ? moreAudioFormats : audioFormats;
    const format = part.url === undefined ? formats.get(part.media_type) : undefined;
    if (format === undefined) return note(part);
    return { type: "input_audio", input_audio: { data: await dataOf(part, loadMedia), format } };
  }
  if (part.type === "video" && !takesAllMedia) return note(part);
  if (part.url !== undefined && !/^(https?|data):/i.test(part.url)) return note(part);
  const url = part.url ?? `data:${part.media_type};base64,${await dataOf(part, loadMedia)}`;
  return part.type === "video" ? { type: "video_url", video_url: { url } } : { type: "image_url", image_url: { url } };
}

const audioFormats: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);

const moreAudioFormats: ReadonlyMap<string, string> = new Map([
  ...audioFormats,
  ["audio/aiff", "aiff"],
  ["audio/x-aiff", "aiff"],
  ["audio/aac", "aac"],
  ["audio/ogg", "ogg"],
  ["audio/flac", "flac"],
  ["audio/x-flac", "flac"],
  ["audio/mp4", "m4a"],
  ["audio/m4a", "m4a"],
  ["audio/x-m4a", "m4a"],
]);

function dataOf(part: MediaPart, loadMedia: LoadMedia): string | Promise<string> {
  return part.data ?? loadMedia(part);
}

function note(part: MediaPart): WirePart {
  return { type: "text", text: describeMedia(part) };
}

function hasMedia(content: Content): content is readonly ContentPart[] {
  return typeof content !== "string" && content.some(isMediaPart);
}
