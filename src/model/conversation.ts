// A conversation as a wire format's bytes: each message made once, call ids that the format takes and that differ.
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
  /** Sides alternate; none is empty. */
  readonly passages: readonly Passage[];
  readonly hasMedia: boolean;
}

interface OpenPassage extends Passage {
  readonly blocks: Uint8Array[];
}

/**
 * Renders growing conversations: a step costs what is new plus one look at each message, and what was rendered before has
 * the very same bytes again.
 */
export class ConversationRenderer {
  readonly #format: MessageFormat;
  readonly #known = new WeakMap<ModelMessage, { readonly ids: string; readonly rendered: RenderedMessage }>();

  constructor(format: MessageFormat) {
    this.#format = format;
  }

  async render(messages: readonly ModelMessage[], loadMedia: LoadMedia): Promise<RenderedConversation> {
    const passages: OpenPassage[] = [];
    const names = new CallNames(this.#format);
    let waiting: Uint8Array[] = [];
    let hasMedia = false;
    const add = (side: Side, blocks: readonly Uint8Array[]) => {
      if (blocks.length === 0) return;
      const last = passages.at(-1);
      if (last?.side === side) last.blocks.push(...blocks);
      else passages.push({ side, blocks: [...blocks] });
    };
    const { opening } = this.#format;
    if (opening !== undefined && messages[0]?.role === "assistant") add("user", [opening]);
    for (const message of messages) {
      const found = this.#get(message, names.of(message), loadMedia);
      const rendered = found instanceof Promise ? await found : found;
      if (message.role !== "tool") {
        add("user", waiting);
        waiting = [];
      }
      add(rendered.side, rendered.blocks);
      waiting.push(...(rendered.afterResults ?? []));
      hasMedia ||= rendered.hasMedia;
    }
    add("user", waiting);
    return { passages, hasMedia };
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

/** Servers use an id again in a later answer, which others refuse: from its second use on it gets a number. */
class CallNames {
  readonly #format: MessageFormat;
  readonly #taken = new Set<string>();
  /** What the newest calls were named, by their own ids. */
  readonly #newest = new Map<string, string>();

  constructor(format: MessageFormat) {
    this.#format = format;
  }

  of(message: ModelMessage): readonly string[] {
    if (message.role === "tool") return [this.#newest.get(message.callId) ?? this.#format.callId(message.callId)];
    if (message.role === "user") return [];
    return (message.calls ?? []).map(({ id }) => this.#name(id));
  }

  #name(id: string): string {
    const base = this.#format.callId(id);
    let name = base;
    for (let use = 2; this.#taken.has(name); use++) name = this.#format.callId(`${base}_${use}`);
    this.#taken.add(name);
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
