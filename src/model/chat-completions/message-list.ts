// A conversation as bytes: finished stretches of it are joined once and used again as a whole.
import type { LoadMedia, ModelMessage } from "../model.ts";
import { type Fragment, FragmentCache, type ServerTraits, userMessageOf } from "./message.ts";

/** A stretch of messages that a later request sends again; its bytes never change. */
interface Block {
  readonly messages: readonly ModelMessage[];
  readonly bytes: Uint8Array;
  readonly hasMedia: boolean;
  readonly endsWithResult: boolean;
}

export interface RenderedMessages {
  /** The elements of `messages`, each with a comma before it. */
  readonly chunks: readonly Uint8Array[];
  readonly hasMedia: boolean;
}

/** Renders conversations for one server. A long one costs a look at each message, not a copy of each. */
export class MessageList {
  readonly #fragments: FragmentCache;
  readonly #blocks = new WeakMap<ModelMessage, Block>();
  readonly #blockLength: number;

  /** @param blockLength from this many messages on, a stretch becomes a block */
  constructor(traits: ServerTraits, { blockLength = 64 }: { blockLength?: number } = {}) {
    this.#fragments = new FragmentCache(traits);
    this.#blockLength = blockLength;
  }

  async render(messages: readonly ModelMessage[], loadMedia: LoadMedia): Promise<RenderedMessages> {
    const chunks: Uint8Array[] = [];
    const bridge = this.#fragments.bridge;
    let hasMedia = false;
    for (let from = 0; from < messages.length; ) {
      const block = this.#blockAt(messages, from) ?? (await this.#makeBlock(messages, from, loadMedia));
      chunks.push(...block.chunks);
      hasMedia ||= block.hasMedia;
      from = block.to;
      if (bridge !== "" && block.endsWithResult && messages[from]?.role === "user") chunks.push(Buffer.from(bridge));
    }
    return { chunks, hasMedia };
  }

  /** The block that begins there, if the same messages still follow. */
  #blockAt(messages: readonly ModelMessage[], from: number): Stretch | undefined {
    const first = messages[from];
    const block = first === undefined ? undefined : this.#blocks.get(first);
    if (block === undefined || !isSettledAt(messages, from + block.messages.length)) return undefined;
    const isSame = block.messages.every((message, index) => messages[from + index] === message);
    if (!isSame) return undefined;
    const { bytes, hasMedia, endsWithResult } = block;
    return { chunks: [bytes], hasMedia, endsWithResult, to: from + block.messages.length };
  }

  async #makeBlock(messages: readonly ModelMessage[], from: number, loadMedia: LoadMedia): Promise<Stretch> {
    let to = from + this.#blockLength;
    while (to < messages.length && !isSettledAt(messages, to)) to++;
    const stretch = messages.slice(from, to);
    const [first] = stretch;
    const isWhole = first !== undefined && isSettledAt(messages, to);
    const text = isWhole ? this.#fragments.textOf(stretch) : undefined;
    const { chunks, hasMedia, endsWithResult } =
      text === undefined
        ? await this.#join(stretch, loadMedia)
        : { chunks: [Buffer.from(text)], hasMedia: false, endsWithResult: stretch.at(-1)?.role === "tool" };
    if (!isWhole) return { chunks, hasMedia, endsWithResult, to };
    const bytes = Buffer.concat(chunks);
    this.#blocks.set(first, { messages: stretch, bytes, hasMedia, endsWithResult });
    this.#fragments.forget(stretch);
    return { chunks: [bytes], hasMedia, endsWithResult, to };
  }

  async #join(messages: readonly ModelMessage[], loadMedia: LoadMedia): Promise<Omit<Stretch, "to">> {
    const chunks: Uint8Array[] = [];
    let hasMedia = false;
    let hoisted: Uint8Array[] = [];
    let endsWithResult = false;
    const bridge = () => {
      if (endsWithResult && this.#fragments.bridge !== "") chunks.push(Buffer.from(this.#fragments.bridge));
      endsWithResult = false;
    };
    const flush = () => {
      if (hoisted.length > 0) {
        bridge();
        chunks.push(...userMessageOf(hoisted));
      }
      hoisted = [];
    };
    for (const message of messages) {
      const found = this.#fragments.get(message, loadMedia);
      const fragment: Fragment = found instanceof Promise ? await found : found;
      if (message.role !== "tool") flush();
      if (message.role === "user") bridge();
      endsWithResult = message.role === "tool";
      chunks.push(fragment.bytes);
      hoisted.push(...fragment.hoisted);
      hasMedia ||= fragment.hasMedia;
    }
    flush();
    return { chunks, hasMedia, endsWithResult };
  }
}

interface Stretch extends RenderedMessages {
  /** The last element is the result of a call. */
  readonly endsWithResult: boolean;
  /** Index of the message after it. */
  readonly to: number;
}

/** Whether what is hoisted from the results before `index` stands right before it: another result would push it on. */
function isSettledAt(messages: readonly ModelMessage[], index: number): boolean {
  const next = messages[index];
  return next !== undefined && next.role !== "tool";
}
