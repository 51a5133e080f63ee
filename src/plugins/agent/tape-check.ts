// Proves a tape: what a run would ask at every anchor, fork point and prefix, and whether each provider would take it.
import { contentFromJson, isMediaPart, type MediaPart } from "../../base/content.ts";
import { isBubError } from "../../base/errors.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { ModelMessage } from "../../model/model.ts";
import { createRequestBodies, type Endpoints, type RequestBodies } from "../../model/request-body.ts";
import { mostRequestBytes, refusalOf } from "../../model/wire-rules.ts";
import { anchorDrafts, type EntryDraft, type TapeEntry } from "../../tape/entry.ts";
import { answersIn, callsIn } from "../../tape/recorded-calls.ts";
import type { MediaStore, TapeReader } from "../../tape/store.ts";
import { ContextBuilder, interruptedError } from "./context.ts";

export interface TapeCheckOptions {
  /** Ids of providers, such as `anthropic`; one of each kind of API by default. */
  providers?: readonly string[];
  /** Providers besides those that everybody knows. */
  endpoints?: Endpoints;
  /** Where stored media are; without it they are taken for there. */
  media?: Pick<MediaStore, "get">;
  signal?: AbortSignal;
  /** Told of each entry that was read. */
  onEntry?: (id: number) => void;
}

export type TapeProblemName =
  | "ids"
  | "result-without-call"
  | "call-without-result"
  | "open-call"
  | "no-user-message"
  | "missing-media"
  | "refused"
  | "too-large";

export interface TapeFinding {
  readonly problem: TapeProblemName;
  /** The entry where it shows. */
  readonly entry: number;
  /** One sentence. */
  readonly message: string;
  /** Whether the session's next request meets it; false for what is past. */
  readonly isCurrent: boolean;
}

export interface TapeRepair {
  /** What it does, one sentence. */
  readonly message: string;
  /** Entries that make the next request right when they are appended. */
  readonly drafts: readonly EntryDraft[];
}

export interface TapeCheck {
  readonly entries: number;
  readonly anchors: number;
  /** Places where a run could ask or a fork could end; each was looked at. */
  readonly places: number;
  /** Requests that were built as a provider gets them. */
  readonly requests: number;
  readonly findings: readonly TapeFinding[];
  /** The smallest one; undefined when the next request is right as it is. */
  readonly repair: TapeRepair | undefined;
}

const defaultProviders = ["openai", "openrouter", "anthropic", "google"];

/**
 * Reads the tape from its start, in memory that grows with the longest context only.
 * @throws BubError `config` for a provider that nobody knows
 */
export async function checkTape(tape: TapeReader, options: TapeCheckOptions = {}): Promise<TapeCheck> {
  const { providers = defaultProviders, endpoints, media, signal, onEntry } = options;
  const bodies = await Promise.all(providers.map((provider) => openBodies(provider, endpoints)));
  const checker = new TapeChecker(bodies, media);
  for await (const entry of tape.forward({ signal })) {
    await checker.take(entry);
    onEntry?.(entry.id);
  }
  return checker.end();
}

interface ProviderBodies extends RequestBodies {
  readonly provider: string;
}

async function openBodies(provider: string, endpoints: Endpoints | undefined): Promise<ProviderBodies> {
  const model = strictestModels[provider] ?? "any";
  return { provider, ...(await createRequestBodies(`${provider}:${model}`, endpoints)) };
}

/** Of each provider's models, one that asks for most. */
const strictestModels: Readonly<Record<string, string>> = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google: "gemini-3-pro",
};

/** Bodies are built at each place of a short context, and at this many of a long one: one cut is like the next. */
const mostBuilt = 32;
/** And no more than this for one context: of a larger one only the end is built. */
const mostBuiltBytes = 256 * 1024 * 1024;

interface OpenCall {
  readonly entry: number;
  readonly name: string;
}

class TapeChecker {
  readonly #bodies: readonly ProviderBodies[];
  readonly #media: Pick<MediaStore, "get"> | undefined;
  readonly #findings = new Map<string, TapeFinding>();
  readonly #counts = { entries: 0, anchors: 0, places: 0, requests: 0 };
  #lastId = 0;
  #builder = new ContextBuilder();
  /** Calls that have no result yet, by their ids. */
  #open = new Map<string, OpenCall>();
  /** Places of this context so far, and bytes that were built for them. */
  #met = 0;
  #builtBytes = 0;
  /** Media of this context that are not there. */
  #missing: TapeFinding[] = [];

  constructor(bodies: readonly ProviderBodies[], media: Pick<MediaStore, "get"> | undefined) {
    this.#bodies = bodies;
    this.#media = media;
  }

  async take(entry: TapeEntry): Promise<void> {
    this.#counts.entries++;
    this.#checkId(entry);
    if (entry.kind === "anchor") await this.#beginContext();
    if (entry.meta.context === false) return;
    if (entry.kind === "tool_call") await this.#checkFork(entry);
    this.#pair(entry);
    await this.#checkMedia(entry);
    this.#builder.push(entry);
    if (this.#asksAfter(entry)) await this.#checkRequest(entry);
  }

  /** What the session's next message would meet. */
  async end(): Promise<TapeCheck> {
    const open = [...this.#open];
    for (const [id, { entry }] of open)
      this.#add({
        problem: "open-call",
        entry,
        message: `The call ${id} of entry ${entry} has no result yet.`,
        isCurrent: true,
      });
    for (const finding of this.#missing) this.#add({ ...finding, isCurrent: true });
    const refusals = await this.#build([...this.#builder.messages, question], this.#lastId);
    for (const finding of refusals) this.#add({ ...finding, isCurrent: true });
    const isRefused = refusals.length > 0 || this.#missing.length > 0;
    const repair = isRefused ? newContext : open.length > 0 ? interrupting(open) : undefined;
    return { ...this.#counts, findings: [...this.#findings.values()], repair };
  }

  #checkId({ id }: TapeEntry): void {
    const wanted = this.#lastId + 1;
    if (id !== wanted) this.#found("ids", id, `Entry ${id} stands where entry ${wanted} should be.`);
    this.#lastId = id;
  }

  async #beginContext(): Promise<void> {
    if (this.#met > mostBuilt || this.#builtBytes > mostBuiltBytes)
      this.#addAll(await this.#build(this.#builder.messages, this.#lastId));
    this.#counts.anchors++;
    this.#builder = new ContextBuilder();
    this.#open.clear();
    this.#missing = [];
    this.#met = 0;
    this.#builtBytes = 0;
  }

  /** A fork ends before the calls, and is asked something of its own. */
  async #checkFork({ id }: TapeEntry): Promise<void> {
    if (this.#isBuilt()) this.#addAll(await this.#build([...this.#builder.messages, question], id));
  }

  #pair(entry: TapeEntry): void {
    const { id: at, kind } = entry;
    if (kind === "tool_result") {
      for (const { call } of answersIn(entry)) {
        const id = call?.id ?? [...this.#open.keys()][0];
        if (id !== undefined && this.#open.delete(id)) continue;
        this.#found("result-without-call", at, `The result at entry ${at} belongs to no call that waits for one.`);
      }
    } else if (kind === "message" || kind === "tool_call") {
      for (const [id, { entry: made }] of this.#open) {
        const message = `The call ${id} of entry ${made} never got a result; the model is told so.`;
        this.#found("call-without-result", made, message);
      }
      const calls = kind === "tool_call" ? callsIn(entry) : [];
      this.#open = new Map(calls.map(({ id, name }) => [id, { entry: at, name }]));
    }
  }

  async #checkMedia({ id, payload }: TapeEntry): Promise<void> {
    if (this.#media === undefined) return;
    const results = Array.isArray(payload.results) ? payload.results : [];
    const contents = [payload.content, ...results.map((result) => (isJsonObject(result) ? result.content : undefined))];
    for (const { type, sha256 } of contents.flatMap(mediaIn)) {
      if (sha256 === undefined || (await isThere(sha256, this.#media))) continue;
      const message = `The ${type} ${sha256} of entry ${id} is not there any more.`;
      this.#missing.push(this.#found("missing-media", id, message));
    }
  }

  /** After a user's message, and when all results are there. */
  #asksAfter({ kind, payload }: TapeEntry): boolean {
    if (kind === "message") return payload.role === "user";
    return kind === "tool_result" && this.#open.size === 0;
  }

  async #checkRequest({ id }: TapeEntry): Promise<void> {
    const isBuilt = this.#isBuilt();
    const { messages } = this.#builder;
    if (!messages.some(({ role }) => role === "user"))
      this.#found("no-user-message", id, `A request after entry ${id} has no user's message.`);
    else if (isBuilt) this.#addAll(await this.#build(messages, id));
  }

  #isBuilt(): boolean {
    this.#counts.places++;
    this.#met++;
    return this.#met <= mostBuilt && this.#builtBytes <= mostBuiltBytes;
  }

  async #build(messages: readonly ModelMessage[], entry: number): Promise<TapeFinding[]> {
    const findings: TapeFinding[] = [];
    const add = (problem: TapeProblemName, message: string) =>
      findings.push({ problem, entry, message, isCurrent: false });
    for (const { provider, wire, build } of this.#bodies) {
      const { body, bytes } = await build({
        system: "check",
        messages,
        tools: [],
        maxTokens: 1_024,
        loadMedia: sizedMedia,
      });
      this.#counts.requests++;
      this.#builtBytes += bytes;
      const refusal = refusalOf(wire, body);
      if (refusal !== undefined) add("refused", `${provider} would refuse a request at entry ${entry}: ${refusal}.`);
      const most = mostRequestBytes[wire] ?? Number.POSITIVE_INFINITY;
      if (bytes > most) add("too-large", `A request at entry ${entry} has ${bytes} bytes; ${provider} takes ${most}.`);
    }
    return findings;
  }

  #found(problem: TapeProblemName, entry: number, message: string): TapeFinding {
    const finding = { problem, entry, message, isCurrent: false };
    this.#add(finding);
    return finding;
  }

  #addAll(findings: readonly TapeFinding[]): void {
    for (const finding of findings) this.#add(finding);
  }

  /** The same thing is told once. */
  #add(finding: TapeFinding): void {
    this.#findings.set(finding.message, finding);
  }
}

const question: ModelMessage = { role: "user", content: "go on" };

/** Stored media count by their size, and one of unknown size is not empty; whether they are there is looked at apart. */
async function sizedMedia({ data, bytes = 1 }: MediaPart): Promise<string> {
  return data ?? "A".repeat(Math.ceil(bytes / 3) * 4);
}

function mediaIn(content: JsonValue | undefined): readonly MediaPart[] {
  const parts = contentFromJson(content);
  return typeof parts === "string" ? [] : parts.filter(isMediaPart);
}

async function isThere(sha256: string, media: Pick<MediaStore, "get">): Promise<boolean> {
  try {
    await media.get(sha256);
    return true;
  } catch (error) {
    if (isBubError(error) && error.kind === "not_found") return false;
    throw error;
  }
}

const newContext: TapeRepair = {
  message: "Begin the context anew: append an anchor, as ,tape.handoff does. What came before stays on the tape.",
  drafts: anchorDrafts("repair", { summary: "" }),
};

function interrupting(open: readonly (readonly [id: string, call: OpenCall])[]): TapeRepair {
  return {
    message: "Append a result that says that the call was interrupted, as the session's next turn does by itself.",
    drafts: open.map(([id, { name }]) => ({
      kind: "tool_result",
      payload: { results: [{ ...interruptedError }] },
      meta: { calls: [{ id, name, status: "interrupted" }] },
    })),
  };
}
