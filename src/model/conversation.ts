// A conversation as a wire format's bytes: each message made once, call ids that the format takes and that differ.
import { comma, separated } from "./body-bytes.ts";
import type { LoadMedia, ModelMessage } from "./model.ts";

export type Side = "user" | "assistant";

/** One message as a format writes it. */
export interface RenderedMessage {
  readonly side: Side;
  /** JSON objects. */
  readonly blocks: readonly Uint8Array[];
  /** Blocks that come after the results of the same step. */
  readonly afterResults?: readonly Uint8Array[];
  readonly hasMedia: boolean;
}

export interface MessageFormat {
  /** How the elements of each side begin, `{"role":"user","content":[` for one; without it, each block is an element. */
  readonly sides?: Readonly<Record<Side, Uint8Array>>;
  /** What the user's side says before a conversation that begins with an answer, as one that was handed off may. */
  readonly opening?: Uint8Array;
  /** An id as the format takes it: the same for the same id. */
  callId(id: string): string;
  /** `ids`: of an assistant's calls in their order, or of the call that a result belongs to. */
  render(
    message: ModelMessage,
    ids: readonly string[],
    loadMedia: LoadMedia,
  ): RenderedMessage | Promise<RenderedMessage>;
}

/** Neighbouring messages of one side. */
export interface Passage {
  readonly side: Side;
  readonly blocks: readonly Uint8Array[];
}

export interface RenderedConversation {
  /** The elements of the request's list, commas between them: sides alternate, none is empty. */
  readonly chunks: readonly Uint8Array[];
  readonly hasMedia: boolean;
}

interface OpenPassage extends Passage {
  readonly blocks: Uint8Array[];
  /** Index of its first message. */
  readonly from: number;
}

/** The beginning of a conversation whose bytes never change. */
interface Settled {
  readonly messages: readonly ModelMessage[];
  /** The answer behind it: words of the user would belong to its last passage. */
  readonly next: ModelMessage;
  readonly bytes: Uint8Array;
  /** The ids of its calls. */
  readonly ids: ReadonlySet<string>;
  readonly hasMedia: boolean;
}

/** So many passages at the end stay apart: marks for a cache may move among them. */
const looseEnd = 6;

/**
 * Renders growing conversations: a step costs what is new plus one look at each message. What was rendered before has the
 * very same bytes again, joined once it is far enough from the end.
 */
export class ConversationRenderer {
  readonly #format: MessageFormat;
  readonly #settleAfter: number;
  readonly #known = new WeakMap<ModelMessage, { readonly ids: string; readonly rendered: RenderedMessage }>();
  /** By a conversation's first message. */
  readonly #settled = new WeakMap<ModelMessage, Settled>();

  /** @param settleAfter from this many passages on, they are joined */
  constructor(format: MessageFormat, { settleAfter = 64 }: { settleAfter?: number } = {}) {
    this.#format = format;
    this.#settleAfter = settleAfter;
  }

  /** @param mark changes the newest passages' blocks, for this request only */
  async render(
    messages: readonly ModelMessage[],
    loadMedia: LoadMedia,
    mark: (passages: readonly Passage[]) => readonly Passage[] = (passages) => passages,
  ): Promise<RenderedConversation> {
    const settled = this.#settledOf(messages);
    const from = settled?.messages.length ?? 0;
    const names = new CallNames(this.#format, settled?.ids);
    const passages: OpenPassage[] = [];
    let waiting: Uint8Array[] = [];
    let hasMedia = settled?.hasMedia ?? false;
    const add = (index: number, side: Side, blocks: readonly Uint8Array[]) => {
      if (blocks.length === 0) return;
      const last = passages.at(-1);
      if (last?.side === side) last.blocks.push(...blocks);
      else passages.push({ side, blocks: [...blocks], from: index });
    };
    const { opening } = this.#format;
    if (opening !== undefined && from === 0 && messages[0]?.role === "assistant") add(0, "user", [opening]);
    for (const [offset, message] of messages.slice(from).entries()) {
      const index = from + offset;
      const found = this.#get(message, names.of(message, index), loadMedia);
      const rendered = found instanceof Promise ? await found : found;
      if (message.role !== "tool") {
        add(index, "user", waiting);
        waiting = [];
      }
      add(index, rendered.side, rendered.blocks);
      waiting.push(...(rendered.afterResults ?? []));
      hasMedia ||= rendered.hasMedia;
    }
    add(messages.length, "user", waiting);
    const start = settled === undefined ? [] : [settled.bytes];
    if (passages.length > this.#settleAfter + looseEnd)
      this.#settle(messages, { passages, start, names, hasMedia, settled });
    return { chunks: this.#join(start, mark(passages)), hasMedia };
  }

  /** The settled beginning of this conversation, if the same messages still stand there. */
  #settledOf(messages: readonly ModelMessage[]): Settled | undefined {
    const [first] = messages;
    const settled = first === undefined ? undefined : this.#settled.get(first);
    if (settled === undefined || messages[settled.messages.length] !== settled.next) return undefined;
    return settled.messages.every((message, index) => messages[index] === message) ? settled : undefined;
  }

  /** Ends before an answer: the passages up to there are whole, and their calls have their results. */
  #settle(messages: readonly ModelMessage[], { passages, start, names, hasMedia, settled }: Unsettled): void {
    const old = settled?.messages.length ?? 0;
    const at = passages.findLastIndex(
      ({ side, from }, index) => from > old && index <= passages.length - looseEnd && side === "assistant",
    );
    const end = passages[at];
    const [first, next] = [messages[0], messages[end?.from ?? messages.length]];
    if (end === undefined || first === undefined || next === undefined) return;
    const joined = messages.slice(0, end.from);
    this.#settled.set(first, {
      messages: joined,
      next,
      bytes: Buffer.concat(this.#join(start, passages.slice(0, at))),
      ids: names.before(end.from),
      hasMedia,
    });
    for (const message of joined.slice(old)) this.#known.delete(message);
  }

  #join(start: readonly Uint8Array[], passages: readonly Passage[]): readonly Uint8Array[] {
    const { sides } = this.#format;
    if (sides === undefined) return separated([...start, ...passages.flatMap(({ blocks }) => blocks)]);
    return passages.reduce<Uint8Array[]>(
      (chunks, { side, blocks }) => {
        if (chunks.length > 0) chunks.push(comma);
        chunks.push(sides[side], ...separated(blocks), passageEnd);
        return chunks;
      },
      [...start],
    );
  }

  /** Waits only for media that have to be loaded. */
  #get(
    message: ModelMessage,
    names: readonly string[],
    loadMedia: LoadMedia,
  ): RenderedMessage | Promise<RenderedMessage> {
    const ids = names.join("\n");
    const known = this.#known.get(message);
    if (known?.ids === ids) return known.rendered;
    const keep = (rendered: RenderedMessage): RenderedMessage => {
      this.#known.set(message, { ids, rendered });
      return rendered;
    };
    const made = this.#format.render(message, names, loadMedia);
    return made instanceof Promise ? made.then(keep) : keep(made);
  }
}

interface Unsettled {
  readonly passages: readonly OpenPassage[];
  readonly start: readonly Uint8Array[];
  readonly names: CallNames;
  readonly hasMedia: boolean;
  readonly settled: Settled | undefined;
}

const passageEnd = Buffer.from("]}");

/** Servers use an id again in a later answer, which others refuse: from its second use on it gets a number. */
class CallNames {
  readonly #format: MessageFormat;
  /** Those of the settled beginning. */
  readonly #old: ReadonlySet<string>;
  /** The others, with the index of their message. */
  readonly #new = new Map<string, number>();
  /** What the newest calls were named, by their own ids. */
  readonly #newest = new Map<string, string>();

  constructor(format: MessageFormat, old: ReadonlySet<string> = new Set()) {
    this.#format = format;
    this.#old = old;
  }

  of(message: ModelMessage, index: number): readonly string[] {
    if (message.role === "tool") return [this.#newest.get(message.callId) ?? this.#format.callId(message.callId)];
    if (message.role === "user") return [];
    return (message.calls ?? []).map(({ id }) => this.#name(id, index));
  }

  /** The names that messages before `index` took. */
  before(index: number): ReadonlySet<string> {
    return new Set([...this.#old, ...[...this.#new].flatMap(([name, at]) => (at < index ? [name] : []))]);
  }

  #name(id: string, index: number): string {
    const base = this.#format.callId(id);
    let name = base;
    for (let use = 2; this.#old.has(name) || this.#new.has(name); use++) name = this.#format.callId(`${base}_${use}`);
    this.#new.set(name, index);
    this.#newest.set(id, name);
    return name;
  }
}

/**
 * Makes ids of the letters that most APIs allow, at most `longest` of them. An id that has to change gets a hash of what
 * it was, so that two never become one.
 */
export function plainCallId(id: string, longest: number): string {
  if (id.length <= longest && /^[A-Za-z0-9_-]+$/.test(id)) return id;
  const mark = `_${hashOf(id)}`;
  return id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longest - mark.length) + mark;
}

/**
 * A tool's name as every API takes it. Models make names up, and write `fs.read` for `fs_read`: such a call was answered
 * with an error or by the tool, and its name must not spoil the conversation.
 */
export function plainToolName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) return name;
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_");
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, 64);
}

/** Makes ids of nine letters and digits, which Mistral's servers insist on; one that is such stays. */
export function nineLetterCallId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
  return BigInt(`0x${hashOf(id)}`)
    .toString(36)
    .padStart(9, "0")
    .slice(-9);
}

/** FNV-1a, 32 bits twice with different starts. */
function hashOf(text: string): string {
  const half = (start: number): string => {
    let hash = start;
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
    }
    return hash.toString(16).padStart(8, "0");
  };
  return half(0x811c9dc5) + half(0x01234567);
}
