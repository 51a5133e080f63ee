// A conversation as the AI SDK's prompt: media where every provider takes them, sealed pieces back to their maker.
import { type Content, type ContentPart, describeMedia, isMediaPart, type MediaPart } from "../../base/content.ts";
import type { JsonValue } from "../../base/json.ts";
import { plainToolName } from "../conversation.ts";
import { dataOf, readDataUrl, webAddressOf } from "../media-data.ts";
import type { LoadMedia, ModelMessage, ModelRequest } from "../model.ts";
import { bridgeWords } from "../model-families.ts";
import { type Maker, piecesOf } from "../outline.ts";
import type { LanguageModelVersion, Prompt, PromptMessage, PromptPart, SupportedUrls } from "./interface.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;
type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;

export interface PromptOptions {
  readonly maker: Maker;
  readonly version: LanguageModelVersion;
  readonly supportedUrls: SupportedUrls;
  /** Parts that were made before: a growing conversation loads each medium once. */
  readonly files: WeakMap<MediaPart, PromptPart>;
  /** An answer stands between results and words of the user. */
  readonly bridgesResults: boolean;
  /** Makes an id as the provider takes it: the same for the same id. */
  readonly callId: (id: string) => string;
}

export interface BuiltPrompt {
  readonly prompt: Prompt;
  readonly hasMedia: boolean;
}

/** The same prompt for the same conversation. Media of results stand in a user message after them: many formats have no other place. */
export async function buildPrompt(
  { system, messages, loadMedia }: Pick<ModelRequest, "system" | "messages" | "loadMedia">,
  options: PromptOptions,
): Promise<BuiltPrompt> {
  const prompt = new PromptBuilder(system, options);
  const names = new CallNames(options.callId);
  const media = new MediaParts(loadMedia, options);
  // Providers refuse conversations that begin with an answer, as one that was handed off may.
  if (messages[0]?.role === "assistant") prompt.add("user", [{ type: "text", text: bridgeWords }]);
  for (const message of messages) {
    if (message.role === "assistant") prompt.add("assistant", assistantParts(message, names, options.maker));
    else if (message.role === "user") prompt.add("user", await media.contentParts(message.content));
    else {
      const { result, hoisted } = await resultOf(message, names, media);
      prompt.add("tool", [result]);
      prompt.addAfterResults(hoisted);
    }
  }
  return { prompt: prompt.end(), hasMedia: media.sent > 0 };
}

class PromptBuilder {
  readonly #messages: PromptMessage[] = [];
  #parts: PromptPart[] = [];
  #role: "user" | "assistant" | "tool" | undefined;
  #waiting: PromptPart[] = [];

  readonly #bridgesResults: boolean;

  constructor(system: string, { bridgesResults }: PromptOptions) {
    this.#bridgesResults = bridgesResults;
    if (system !== "") this.#messages.push({ role: "system", content: system });
  }

  /** Neighbours of one side become one message. */
  add(role: "user" | "assistant" | "tool", parts: readonly PromptPart[]): void {
    if (parts.length === 0) return;
    if (role !== "tool") this.#flush();
    if (role !== this.#role) this.#close(role);
    this.#parts.push(...parts);
  }

  addAfterResults(parts: readonly PromptPart[]): void {
    this.#waiting.push(...parts);
  }

  end(): Prompt {
    this.#flush();
    this.#close(undefined);
    return this.#messages;
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#close("user");
    this.#parts.push(...waiting);
  }

  #close(next: "user" | "assistant" | "tool" | undefined): void {
    if (this.#role !== undefined && this.#parts.length > 0)
      this.#messages.push({ role: this.#role, content: this.#parts });
    if (this.#bridgesResults && this.#role === "tool" && next === "user")
      this.#messages.push({ role: "assistant", content: [{ type: "text", text: bridgeWords }] });
    this.#parts = [];
    this.#role = next;
  }
}

/** Ids that come again in a later answer get a number: providers refuse one that stands twice. */
class CallNames {
  readonly #taken = new Set<string>();
  readonly #newest = new Map<string, string>();
  readonly #callId: PromptOptions["callId"];

  constructor(callId: PromptOptions["callId"]) {
    this.#callId = callId;
  }

  of(id: string): string {
    return this.#newest.get(id) ?? this.#callId(id);
  }

  take(id: string): string {
    let name = this.#callId(id);
    for (let use = 2; this.#taken.has(name); use++) name = this.#callId(`${id}_${use}`);
    this.#taken.add(name);
    this.#newest.set(id, name);
    return name;
  }
}

function assistantParts(message: AssistantMessage, names: CallNames, maker: Maker): PromptPart[] {
  return piecesOf(message, maker).flatMap((piece): PromptPart[] => {
    if (piece.type === "own") return [piece.value as PromptPart];
    const extra = optionsOf(piece.extra.providerOptions);
    if (piece.type === "text") return piece.text.trim() === "" ? [] : [{ type: "text", text: piece.text, ...extra }];
    const { id, name, arguments: input } = piece.call;
    return [{ type: "tool-call", toolCallId: names.take(id), toolName: plainToolName(name), input, ...extra }];
  });
}

function optionsOf(providerOptions: JsonValue | undefined): { readonly providerOptions?: JsonValue } {
  return providerOptions === undefined ? {} : { providerOptions };
}

async function resultOf(
  message: ToolMessage,
  names: CallNames,
  media: MediaParts,
): Promise<{ result: PromptPart; hoisted: readonly PromptPart[] }> {
  const { callId, name, content, isError } = message;
  const parts: readonly ContentPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const sent: PromptPart[] = [];
  const lines: string[] = [];
  for (const part of parts) {
    if (!isMediaPart(part)) {
      lines.push(part.text);
      continue;
    }
    const file = await media.file(part);
    if (file !== undefined) sent.push(file);
    lines.push(file === undefined ? describeMedia(part) : `${describeMedia(part)} (in the message after the results)`);
  }
  const value = nonBlank(lines.join("\n"));
  const result = {
    type: "tool-result",
    toolCallId: names.of(callId),
    toolName: plainToolName(name),
    output: { type: isError ? "error-text" : "text", value },
  };
  const title = { type: "text", text: `Media of the result of ${name} (${callId}):` };
  return { result, hoisted: sent.length === 0 ? [] : [title, ...sent] };
}

/** Providers refuse texts of blanks. */
function nonBlank(text: string): string {
  return text.trim() === "" ? "(empty)" : text;
}

class MediaParts {
  readonly #load: LoadMedia;
  readonly #options: PromptOptions;
  /** How many were found a place for. */
  sent = 0;

  constructor(load: LoadMedia, options: PromptOptions) {
    this.#load = load;
    this.#options = options;
  }

  async contentParts(content: Content): Promise<PromptPart[]> {
    if (typeof content === "string") return [{ type: "text", text: nonBlank(content) }];
    return Promise.all(
      content.map(async (part) => {
        if (!isMediaPart(part)) return { type: "text", text: nonBlank(part.text) };
        return (await this.file(part)) ?? { type: "text", text: describeMedia(part) };
      }),
    );
  }

  /** Undefined: an address that the provider does not fetch. */
  async file(part: MediaPart): Promise<PromptPart | undefined> {
    const { files } = this.#options;
    const made = files.get(part) ?? (await this.#make(part));
    if (made === undefined) return undefined;
    files.set(part, made);
    this.sent++;
    return made;
  }

  async #make(part: MediaPart): Promise<PromptPart | undefined> {
    const address = webAddressOf(part);
    const inline = readDataUrl(part.url);
    const mediaType = inline?.mediaType ?? part.media_type;
    if (
      part.url !== undefined &&
      inline === undefined &&
      (address === undefined || !this.#isFetched(mediaType, address))
    )
      return undefined;
    const isNewest = this.#options.version === "v4";
    if (address !== undefined) {
      const url = new URL(address);
      return { type: "file", mediaType, data: isNewest ? { type: "url", url } : url };
    }
    const data = inline?.data ?? (await dataOf(part, this.#load));
    return { type: "file", mediaType, data: isNewest ? { type: "data", data } : data };
  }

  #isFetched(mediaType: string, address: string): boolean {
    const [main] = mediaType.split("/");
    const { supportedUrls } = this.#options;
    const patterns = [mediaType, `${main}/*`, "*/*", "*"].flatMap((key) => supportedUrls[key] ?? []);
    return URL.canParse(address) && patterns.some((pattern) => pattern.test(address));
  }
}
