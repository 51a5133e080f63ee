// What a provider's refusal means for retry, fallback and people: by status and code first, by words last.
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn } from "../base/json.ts";
import type { ModelFailure } from "./model.ts";
import { ModelError } from "./model-error.ts";

/** Who was asked, for sentences. */
export interface Endpoint {
  /** The part of `provider:model` before the colon. */
  readonly provider: string;
  /** Where requests go, without query or credentials. */
  readonly address: string;
  /** The variable, or the key of a file, that the API key came from; undefined without a key. */
  readonly keyVariable: string | undefined;
  /** Never shown. */
  readonly key: string | undefined;
}

/** What a refusal says of itself. */
export interface Refusal {
  readonly status?: number;
  /** For example `context_length_exceeded`. */
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
  readonly retryAfterMs?: number;
}

/** A refusal as an error. `sentMedia`: the request held images or audio, which may be what was refused. */
export function refusalError(refusal: Refusal, endpoint: Endpoint, { sentMedia }: { sentMedia: boolean }): ModelError {
  const [failure, retryable] = judge(refusal, sentMedia);
  const { status, code } = refusal;
  const retryAfterMs = refusal.retryAfterMs ?? (failure === "rate-limited" ? pauseIn(refusal.message) : undefined);
  const details = { ...(status !== undefined && { status }), ...(code !== undefined && { code }) };
  return new ModelError(
    sentenceOf(failure, refusal, endpoint),
    {
      failure,
      retryable,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    { details },
  );
}

const limitWords = /max_?(completion_|output_|new_)?tokens|maximum (allowed )?number of output tokens/i;

/** The stream ended before the answer did. */
export function cutError(provider: string, cause?: unknown): ModelError {
  const message = `The answer of ${provider} broke off before it was complete.`;
  return new ModelError(message, { failure: "cut", retryable: true }, { cause });
}

/** The answer is not what its format allows. `retryable` when it may be a passing fault. */
export function malformedError(
  provider: string,
  what: string,
  { retryable, cause }: { retryable: boolean; cause?: unknown },
): ModelError {
  return new ModelError(
    `The answer of ${provider} cannot be read: ${what}.`,
    { failure: "malformed", retryable },
    { cause },
  );
}

/** Reads the error of a body in any of the shapes that compatible servers use; undefined when there is none. */
export function readRefusal(value: JsonValue | undefined): Refusal | undefined {
  if (Array.isArray(value)) return readRefusal(value[0]);
  if (!isJsonObject(value)) return undefined;
  if (typeof value.error === "string") return { message: value.error };
  if (isJsonObject(value.error)) return refusalOf(value.error);
  // vLLM puts the error's keys at the top, FastAPI says `detail`.
  if (value.object === "error" || typeof value.message === "string") return refusalOf(value);
  if (value.detail !== undefined)
    return { message: typeof value.detail === "string" ? value.detail : JSON.stringify(value.detail) };
  return undefined;
}

/** The refusal that an HTTP answer outside 2xx is. */
export function readHttpRefusal(status: number, body: string, headers: Headers): Refusal {
  const refusal = readRefusal(parseJson(body)) ?? { message: plainText(body) };
  const retryAfterMs = readRetryAfter(headers);
  return { ...refusal, status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Milliseconds from `retry-after-ms`, or from `retry-after` in seconds or as an HTTP date. */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const exact = numberOf(headers["retry-after-ms"]);
  if (exact !== undefined) return exact;
  const text = headers["retry-after"];
  const seconds = numberOf(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const overflowCodes = /context_length_exceeded|exceed_context_size_error|context_window_exceeded/i;
const overflowWords =
  /context[ _-]?(length|window|size|limit)|maximum (context|prompt|input)|(prompt|input) is too long|too many (input |prompt )?tokens|input token count/i;
const mediaWords = /image|vision|multi-?modal|mmproj|audio|video|media|mime.?type/i;
const mayBeMedia = new Set([400, 404, 413, 415, 422, 500, 501]);
const mayBeOverflow = new Set([400, 413, 422]);

function judge({ status, code = "", type = "", message = "" }: Refusal, sentMedia: boolean): [ModelFailure, boolean] {
  const names = `${code} ${type}`;
  if (status === 429 || limitNames.test(names)) return ["rate-limited", !/insufficient_quota/.test(names)];
  if (otherNames.test(names)) return ["rejected", false];
  if (status === 401 || status === 403 || keyNames.test(names)) return ["unauthorized", false];
  if (overflowCodes.test(names)) return ["overflow", false];
  const at = status ?? statusOfName(names);
  if (at !== undefined && sentMedia && mayBeMedia.has(at) && mediaWords.test(`${code} ${message}`))
    return ["rejected-image", false];
  if (at !== undefined && mayBeOverflow.has(at) && overflowWords.test(message)) return ["overflow", false];
  if (at === 413) return ["overflow", false];
  // Without a status it is an error that a stream told of: the provider failed while it answered.
  if (at === undefined || at === 408 || at === 409 || at >= 500) return ["server", true];
  return ["rejected", false];
}

const limitNames = /rate_limit|too_many_requests|insufficient_quota|RESOURCE_EXHAUSTED/;
/** A 403 that no other key would change. */
const otherNames = /moderation|unsupported_country/;
const keyNames = /invalid_api_key|API_KEY_INVALID|authentication_error|permission_error|UNAUTHENTICATED/;

/** Errors inside a stream have no status; some have a name that says as much. */
function statusOfName(names: string): number | undefined {
  if (/request_too_large/.test(names)) return 413;
  if (/invalid_request|invalid_prompt|invalid_value|INVALID_ARGUMENT|image|unsupported/.test(names)) return 400;
  return /billing_error/.test(names) ? 402 : undefined;
}

function sentenceOf(failure: ModelFailure, refusal: Refusal, endpoint: Endpoint): string {
  const { provider, address, keyVariable } = endpoint;
  const status = refusal.status === undefined ? "" : ` (${refusal.status})`;
  const said = saidBy(refusal, endpoint);
  switch (failure) {
    case "unauthorized":
      if (keyVariable === undefined)
        return `${provider} at ${address} wants an API key${status}${said}${adviceOnMissingKey}`;
      return `${provider} refused the key from ${keyVariable}${status}${said}${adviceOnRefusedKey}`;
    case "rate-limited":
      return `${provider} is asked too often${status}${said}.`;
    case "overflow":
      return `The conversation is too long for the model of ${provider}${status}${said}.`;
    case "rejected-image":
      return `The model of ${provider} does not take the media in this conversation${status}${said}.`;
    case "server":
      return `${provider} failed to answer${status}${said}.`;
    default:
      if (limitWords.test(refusal.message ?? ""))
        return `${provider} refused the request${status}${said}: set BUB_MAX_TOKENS to what the model allows.`;
      return refusal.status === 404
        ? `${provider} at ${address} knows no such model or address${status}${said}.`
        : `${provider} refused the request${status}${said}.`;
  }
}

const adviceOnMissingKey = ": set BUB_API_KEY or run bub onboard.";
const adviceOnRefusedKey = ": check it, or run bub onboard.";

/** The sentence of a refusal for somebody who is setting up: without the advice to do that. */
export function withoutAdvice(sentence: string): string {
  const advice = [adviceOnMissingKey, adviceOnRefusedKey].find((end) => sentence.endsWith(end)) ?? "";
  return advice === "" ? sentence : `${sentence.slice(0, -advice.length)}.`;
}

/** `: <the provider's own words>`, on one line, without the key, short enough for a sentence. */
function saidBy({ message = "" }: Refusal, { key }: Endpoint): string {
  const masked = key === undefined || key.length < 6 ? message : message.replaceAll(key, "***");
  const words = masked.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  if (words === "") return "";
  return `: ${words.length > 500 ? `${words.slice(0, 500)}…` : words}`;
}

function refusalOf(error: JsonObject): Refusal {
  const code = error.code ?? undefined;
  const status = numberOf(code) ?? numberOf(error.status) ?? numberOf(error.status_code);
  const names = [error.type, reasonOf(error.details), moderationIn(error.metadata), error.status];
  const type = names.find((name) => typeof name === "string");
  const retryAfterMs = delayOf(error.details);
  return {
    message: wordsOf(error),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status !== undefined && status >= 100 && status < 600 && { status }),
    ...(typeof code === "string" && numberOf(code) === undefined && { code }),
    ...(typeof type === "string" && numberOf(type) === undefined && { type }),
  };
}

/** Google names the reason, `API_KEY_INVALID` for one, in a list of details. */
function reasonOf(details: JsonValue | undefined): string | undefined {
  const reasons = detailsOf(details).map(({ reason }) => reason);
  return reasons.find((reason) => typeof reason === "string");
}

/** OpenRouter tells why a message was flagged, and calls it nothing. */
function moderationIn(metadata: JsonValue | undefined): string | undefined {
  return isJsonObject(metadata) && Array.isArray(metadata.reasons) ? "moderation" : undefined;
}

/** Google asks for a pause in the body: `"retryDelay": "34s"`. */
function delayOf(details: JsonValue | undefined): number | undefined {
  const delays = detailsOf(details).map(({ retryDelay }) => /^(\d+(?:\.\d+)?)s$/.exec(String(retryDelay))?.[1]);
  const seconds = delays.find((delay) => delay !== undefined);
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

/** A limit that a stream tells of has no header: `Please try again in 1m2.5s`. */
function pauseIn(message = ""): number | undefined {
  const asked = /\b(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|[hms])\s?)+)/i.exec(message)?.[1];
  if (asked === undefined) return undefined;
  const lengths = [...asked.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/gi)];
  return Math.ceil(lengths.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitMs.get(unit) ?? 0), 0));
}

const unitMs: ReadonlyMap<string, number> = new Map([
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
]);

function detailsOf(details: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
}

/** OpenRouter hides the reason of the provider behind it in `metadata.raw`. */
function wordsOf({ message, metadata }: JsonObject): string {
  const said = textIn(message);
  const raw = isJsonObject(metadata) ? metadata.raw : undefined;
  if (typeof raw !== "string" || raw === "") return said;
  return `${said}: ${readRefusal(parseJson(raw))?.message ?? raw}`;
}

/** An error page's markup says nothing; other text may. */
function plainText(body: string): string {
  return /^\s*</.test(body) ? "" : body.slice(0, 500);
}

function numberOf(value: JsonValue | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
