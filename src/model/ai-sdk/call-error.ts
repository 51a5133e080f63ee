// What an AI SDK package throws, as our errors: told by what its errors carry, never by their class.
import { codeOf, messageOf } from "../../base/errors.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { cutError, type Endpoint, malformedError, readHttpRefusal, readRefusal, refusalError } from "../errors.ts";
import { isModelError, ModelError } from "../model-error.ts";
import { networkError } from "../network-error.ts";

export interface CallFacts {
  readonly endpoint: Endpoint;
  readonly sentMedia: boolean;
  /** Parts of the answer had come already. */
  readonly isAnswering: boolean;
}

/** Any error of a call as one of ours; what nobody knows is `rejected`, and tried again if the package says so. */
export function toModelError(error: unknown, call: CallFacts): ModelError {
  const own = causeOf(error, isModelError);
  if (isModelError(own)) return own;
  const facts = (typeof error === "object" && error !== null ? error : {}) as ErrorFacts;
  return refusedByServer(error, facts, call) ?? refusedByPackage(error, facts, call) ?? broken(error, facts, call);
}

/** The server answered, and not with a 2xx. */
function refusedByServer(
  error: unknown,
  facts: ErrorFacts,
  { endpoint, sentMedia }: CallFacts,
): ModelError | undefined {
  const { statusCode: status, responseBody = "", responseHeaders = {}, url } = facts;
  if (typeof status !== "number" || (status >= 200 && status < 300)) return undefined;
  const refusal = readHttpRefusal(status, responseBody, responseHeaders);
  const isMoved = status >= 300 && status < 400;
  const place = responseHeaders.location ?? "another address";
  const message = isMoved ? `it is moved to ${place}; set that as api_base` : refusal.message || messageOf(error);
  const address = addressIn(url) ?? endpoint.address;
  return refusalError({ ...refusal, message }, { ...endpoint, address }, { sentMedia });
}

/** The package did not even ask. */
function refusedByPackage(
  error: unknown,
  { name }: ErrorFacts,
  { endpoint, sentMedia }: CallFacts,
): ModelError | undefined {
  const { provider, keyVariable } = endpoint;
  const why = messageOf(error);
  if (/LoadAPIKeyError|LoadSettingError/.test(String(name))) {
    const advice = keyVariable === undefined ? " Set BUB_API_KEY, or api_key of its entry in providers." : "";
    const facts = { failure: "unauthorized", retryable: false } as const;
    return new ModelError(`${provider} cannot be asked: ${why}${advice}`, facts, { cause: error });
  }
  if (!/UnsupportedFunctionalityError/.test(String(name))) return undefined;
  const facts = { failure: sentMedia ? "rejected-image" : "rejected", retryable: false } as const;
  return new ModelError(`${provider} cannot take this conversation: ${why}`, facts, { cause: error });
}

/** The connection or the answer is not as it should be. */
function broken(error: unknown, facts: ErrorFacts, { endpoint, sentMedia, isAnswering }: CallFacts): ModelError {
  const { provider, address } = endpoint;
  const system = causeOf(error, (one) => /^(E[A-Z]|UND_)/.test(codeOf(one) ?? ""));
  if (system !== undefined) return isAnswering ? cutError(provider, error) : networkError(system, address);
  const why = messageOf(error);
  // Adapters of version 4 tell in words that no finish came.
  if (isAnswering && /stream ended/i.test(why)) return cutError(provider, error);
  const isOdd = /JSONParseError|TypeValidationError|InvalidResponseData|EmptyResponseBody/.test(String(facts.name));
  if (isOdd || facts.statusCode !== undefined)
    return malformedError(provider, firstLine(why), { retryable: true, cause: error });
  const refusal = isJsonObject(error) && !(error instanceof Error) ? readRefusal(wrapped(error)) : undefined;
  if (refusal !== undefined) return refusalError(refusal, endpoint, { sentMedia });
  // An error part that is only words: the provider failed while it answered.
  if (typeof error === "string") return refusalError({ message: error }, endpoint, { sentMedia });
  const rest = { failure: "rejected", retryable: facts.isRetryable === true } as const;
  return new ModelError(`${provider} failed: ${firstLine(why)}`, rest, { cause: error });
}

interface ErrorFacts {
  readonly name?: unknown;
  readonly statusCode?: number;
  readonly responseBody?: string;
  readonly responseHeaders?: Readonly<Record<string, string | undefined>>;
  readonly url?: string;
  readonly isRetryable?: boolean;
}

function wrapped(error: JsonObject): JsonObject {
  return error.error === undefined ? { error } : error;
}

/** The error or the first of its causes that is so; circles end. */
function causeOf(error: unknown, isWanted: (one: unknown) => boolean): unknown {
  let one = error;
  for (let depth = 0; depth < 8 && one !== undefined && one !== null; depth++) {
    if (isWanted(one)) return one;
    one = (one as { cause?: unknown }).cause;
  }
  return undefined;
}

function addressIn(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Such errors quote whole answers. */
function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line.replace(/\.$/, "");
}
