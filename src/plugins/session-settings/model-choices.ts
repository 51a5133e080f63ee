// The models that somebody can choose from: those that settings name, and those that providers list.
import { isBubError, messageOf } from "../../base/errors.ts";
import type { ModelProvider } from "../../kernel/hooks.ts";
import type { Runtime } from "../../kernel/runtime.ts";

/** A list is a help, not worth waiting for longer (milliseconds). */
const patienceMs = 5_000;
/** Some providers have hundreds; more than this of one is no choice any more for who reads them all. */
const mostOfOne = 50;

export interface Choices {
  /** `provider:model`, those of the settings first. */
  readonly choices: readonly string[];
  /** What is left out, a line each. */
  readonly notes: readonly string[];
}

export interface ChoicesRequest {
  /** The session's model. */
  own?: string;
  /** Models of one provider. */
  most?: number;
  signal: AbortSignal;
}

/** What settings name and providers list. A provider that fails, or takes too long, is a note. @throws the signal's reason */
export async function listChoices(
  runtime: Runtime,
  { own, most = mostOfOne, signal }: ChoicesRequest,
): Promise<Choices> {
  const { model, fallbackModels } = runtime.settings;
  const named = [model, ...fallbackModels, ...(own === undefined ? [] : [own])];
  const offered = (await runtime.hooks.collect("provideModels", runtime)).flatMap(({ answer }) => answer);
  const lists = await Promise.all(offered.map((provider) => listOf(provider, runtime, { most, signal })));
  return {
    choices: [...new Set([...named, ...lists.flatMap(({ choices }) => choices)])],
    notes: lists.flatMap(({ notes }) => notes),
  };
}

async function listOf(
  offer: ModelProvider,
  runtime: Runtime,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<Choices> {
  const { provider } = offer;
  try {
    const ids = (await offer.list?.(runtime, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]))) ?? [];
    const names = ids.map((id) => (provider === "*" ? id : `${provider}:${id}`)).sort();
    const more = names.length - most;
    return {
      choices: names.slice(0, most),
      notes: more > 0 ? [`(and ${more} more${provider === "*" ? "" : ` of ${provider}`})`] : [],
    };
  } catch (error) {
    signal.throwIfAborted();
    // A provider that nobody has set up is no choice, and no news either.
    if (isBubError(error) && error.kind === "config") return { choices: [], notes: [] };
    return { choices: [], notes: [`(${provider} gave no list: ${messageOf(error)})`] };
  }
}
