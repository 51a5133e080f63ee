// The models' part of the first set-up: a provider, its address, its key, a model of its list, and a first call.
import { isAbortError } from "../../base/abort.ts";
import { BubError, messageOf, sentencesOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { nearestName } from "../../base/near.ts";
import { toOneLine } from "../../base/terminal-text.ts";
import { findModel } from "../../kernel/find-model.ts";
import type { Choice, Onboarding } from "../../kernel/onboarding.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import {
  builtinProvider,
  findAccess,
  isKeyText,
  isLoopback,
  type ProviderAccess,
  providerNames,
  toAddress,
} from "../../model/endpoint.ts";
import { withoutAdvice } from "../../model/errors.ts";
import type { Model } from "../../model/model.ts";
import { defaultModel, type ModelSettings, parseModelName } from "../../model/model-settings.ts";
import { reachProvider } from "../../model/reach.ts";
import { resolveModel } from "../../model/resolve.ts";
import type { Transport } from "../../model/transport.ts";
import { makeFirstCall } from "./first-call.ts";
import {
  entryOf,
  isForeign,
  keyPageOf,
  nameProblem,
  newServer,
  providerChoices,
  serverNameOf,
} from "./provider-choice.ts";

/** A list is a help, not worth waiting for longer (milliseconds). */
const listPatienceMs = 10_000;

/** What has been answered so far; a second round begins with it. */
interface Draft {
  readonly provider: string;
  /** As answered; undefined where nobody was asked. */
  readonly apiBase?: string;
  /** Typed just now. */
  readonly key?: string;
  readonly modelId?: string;
}

interface Round {
  readonly onboarding: Onboarding;
  readonly runtime: Runtime;
  readonly transport: Transport;
}

/** Asks until a model answers, or somebody wants it all the same. @throws BubError, or the reason when the person leaves */
export async function onboardModel(onboarding: Onboarding, runtime: Runtime, transport: Transport): Promise<void> {
  const round = { onboarding, runtime, transport };
  let draft = startOf(runtime);
  for (;;) {
    draft = await askAll(draft, round);
    if (!onboarding.tries) break;
    try {
      const call = modelOf(draft, round).then((model) => makeFirstCall(model, onboarding.signal));
      onboarding.say(await onboarding.during(`asking ${draft.provider} a first question`, call));
      break;
    } catch (error) {
      if (isAbortError(error)) throw error;
      if (!onboarding.isInteractive)
        throw new BubError(
          "provider",
          `${sentencesOf(error)} Nothing was written; --no-test writes it without a first call.`,
          {
            cause: error,
          },
        );
      onboarding.say(sentencesOf(error));
      if ((await askWhatNow(onboarding)) === "keep") break;
    }
  }
  write(draft, round);
}

function startOf({ settings, loadedSettings }: Runtime): Draft {
  const { provider, modelId } = parseModelName(settings.model) ?? { provider: "openrouter", modelId: undefined };
  // Somebody who plays scripts sets up something else.
  if (provider === "scripted" || loadedSettings.sources.model === "default") return { provider: "openrouter" };
  return { provider, modelId };
}

async function askAll(before: Draft, round: Round): Promise<Draft> {
  const { provider, apiBase } = await askServer(before, round);
  const isSame = provider === before.provider;
  const draft: Draft = { provider, apiBase, key: isSame ? before.key : undefined };
  if (await isForeign(provider, round.runtime))
    return { ...draft, modelId: await askModel(draft, isSame ? before.modelId : undefined, round) };
  const keyed = { ...draft, key: await askKey(draft, round) };
  return { ...keyed, modelId: await askModel(keyed, isSame ? before.modelId : undefined, round) };
}

async function askServer(before: Draft, round: Round): Promise<Pick<Draft, "provider" | "apiBase">> {
  const { onboarding, runtime } = round;
  const chosen = await onboarding.choose({
    name: "provider",
    message: "Who answers?",
    choices: () => providerChoices(runtime),
    allowsOther: !onboarding.isInteractive,
    initial: before.provider,
  });
  const provider = chosen.trim().toLowerCase();
  if (await isForeign(provider, runtime)) return { provider };
  const builtin = builtinProvider(provider);
  const { apiBase: own } = entryOf(provider, runtime.settings);
  const known = (provider === before.provider ? before.apiBase : undefined) ?? own ?? baseOf(provider, runtime);
  // Whoever has an address of its own is not asked for another one; an option may give it.
  const isAsked = builtin === undefined || provider === "ollama" || own !== undefined || !onboarding.isInteractive;
  if (!isAsked) return { provider };
  const apiBase = await onboarding.text({
    name: "api-base",
    message: addressQuestion(provider, round),
    initial: known,
    check: addressProblem,
  });
  const address = apiBase.trim();
  if (provider !== newServer) {
    const problem = builtin === undefined && own === undefined ? nameProblem(provider) : undefined;
    if (problem !== undefined) throw new BubError("invalid_input", problem);
    return { provider, apiBase: address };
  }
  const name = await onboarding.text({
    name: "provider-name",
    message: "A short name for it",
    initial: serverNameOf(address, runtime),
    check: (answer) => nameProblem(answer.trim()),
  });
  return { provider: name.trim(), apiBase: address };
}

/** Where nobody can be asked, it says what the options lack. */
function addressQuestion(provider: string, { onboarding, runtime }: Round): string {
  if (provider === newServer) return "Address of the API of the server";
  const names = providerNames(runtime.settings);
  const near = names.includes(provider) ? undefined : nearestName(provider, names);
  if (onboarding.isInteractive || names.includes(provider))
    return `Address of the API of ${provider}${near === undefined ? "" : ` (or did you mean ${near}?)`}`;
  const instead = near === undefined ? `It is not one of ${names.join(", ")}:` : `Did you mean ${near}? Else`;
  return `nobody knows where ${provider} is. ${instead} give the address of its API, such as http://127.0.0.1:8000/v1.`;
}

function addressProblem(answer: string): string | undefined {
  const address = toAddress(answer.trim());
  if (address === undefined) return "An address begins with http:// or https://, such as http://127.0.0.1:8000/v1.";
  return address.username !== "" || address.password !== ""
    ? "The key is asked for by itself, not in the address."
    : undefined;
}

async function askKey(draft: Draft, round: Round): Promise<string | undefined> {
  const { onboarding, runtime } = round;
  const { provider } = draft;
  const found = accessOf(draft, round);
  const address = toAddress(found?.apiBase ?? draft.apiBase ?? "");
  const isHere = address !== undefined && isLoopback(address);
  if (provider === "ollama" && isHere && onboarding.isInteractive && found?.key === undefined) return undefined;
  const builtin = builtinProvider(provider);
  const isBuiltin = builtin !== undefined && (draft.apiBase ?? builtin.apiBase) === builtin.apiBase;
  const place = draft.key === undefined ? found?.keySource : "before";
  const page = keyPageOf(provider);
  if (place === undefined && page !== undefined && isBuiltin) onboarding.say(`${page} makes a key.`);
  const isNeeded = place === undefined && !isHere && isBuiltin;
  const aside = place === undefined ? "Enter for none" : `Enter keeps the one from ${place}`;
  const key = await onboarding.secret({
    name: "key",
    message: `API key of ${provider}${isNeeded ? "" : ` (${aside})`}`,
    isOptional: !isNeeded,
    check: keyProblem,
  });
  runtime.mask.add(key.trim());
  return key.trim() === "" ? draft.key : key.trim();
}

function keyProblem(answer: string): string | undefined {
  const key = answer.trim();
  if (key === "") return undefined;
  if (/^["'`]|^(export\s+)?\w+_(API_)?(KEY|TOKEN)=|^Bearer\s/i.test(key))
    return "Only the key itself, please: no quotes, no name of a variable before it.";
  return isKeyText(key) ? undefined : "That holds characters that no key has; was more copied than the key?";
}

async function askModel(draft: Draft, before: string | undefined, round: Round): Promise<string> {
  const { onboarding } = round;
  const { provider } = draft;
  let ids: readonly string[] | undefined;
  const choices = async (): Promise<readonly Choice[]> => {
    ids ??= await listOf(draft, round);
    return ids.map((value) => ({ value }));
  };
  const suggestion = before ?? (provider === "openrouter" ? parseModelName(defaultModel)?.modelId : undefined);
  const answer = await onboarding.choose({
    name: "model",
    message: `Which model of ${provider}?`,
    choices,
    allowsOther: true,
    initial: suggestion,
    check: modelProblem,
  });
  const modelId = answer.trim();
  return modelId.startsWith(`${provider}:`) ? modelId.slice(provider.length + 1) : modelId;
}

function modelProblem(answer: string): string | undefined {
  const name = answer.trim();
  if (name === "") return "A model's name, as the provider writes it, is needed.";
  return toOneLine(name) === name ? undefined : "A model's name is one line without control characters.";
}

/** Names that a terminal would not show as they are belong to no model. */
async function listOf(draft: Draft, { onboarding, runtime, transport }: Round): Promise<readonly string[]> {
  const { provider } = draft;
  const signal = AbortSignal.any([onboarding.signal, AbortSignal.timeout(listPatienceMs)]);
  try {
    const work = listNow(draft, { onboarding, runtime, transport }, signal);
    const ids = await onboarding.during(`asking ${provider} which models there are`, work);
    const shown = ids.filter((id) => id !== "" && toOneLine(id) === id);
    if (shown.length === 0) onboarding.say(`${provider} gives no list of models: type the name.`);
    return shown;
  } catch (error) {
    onboarding.signal.throwIfAborted();
    const why = signal.aborted
      ? `${provider} did not answer within ${listPatienceMs / 1000} s.`
      : withoutAdvice(messageOf(error));
    onboarding.say(`There is no list of models: ${why}`);
    return [];
  }
}

async function listNow(draft: Draft, round: Round, signal: AbortSignal): Promise<readonly string[]> {
  const { runtime, transport } = round;
  const access = (await isForeign(draft.provider, runtime)) ? undefined : accessOf(draft, round);
  if (access !== undefined) {
    const options = { provider: draft.provider, settings: runtime.settings, transport, signal };
    return (await reachProvider(access, options)) ?? [];
  }
  const answers = await runtime.hooks.collect("provideModels", runtime);
  const offer = answers.flatMap(({ answer }) => answer).find(({ provider }) => provider === draft.provider);
  return (await offer?.list?.(runtime, signal)) ?? [];
}

async function askWhatNow(onboarding: Onboarding): Promise<string> {
  return onboarding.choose({
    name: "after-failure",
    message: "What now?",
    initial: "again",
    choices: () => [
      { value: "again", label: "go through the questions again" },
      { value: "keep", label: "write it all the same" },
    ],
  });
}

async function modelOf(draft: Draft, { runtime, transport }: Round): Promise<Model> {
  const name = `${draft.provider}:${draft.modelId}`;
  if (await isForeign(draft.provider, runtime)) return findModel(name, runtime);
  const { lookup } = runtime.loadedSettings;
  const onSecret = (secret: string) => runtime.mask.add(secret);
  return resolveModel(name, { settings: withDraft(draft, runtime), lookup, transport, onSecret });
}

function accessOf(draft: Draft, { runtime }: Round): ProviderAccess | undefined {
  try {
    return findAccess(draft.provider, withDraft(draft, runtime), runtime.loadedSettings.lookup);
  } catch {
    return undefined;
  }
}

/** The address that a provider has without a further answer. */
function baseOf(provider: string, { settings, loadedSettings }: Runtime): string | undefined {
  try {
    return findAccess(provider, { ...settings, apiKey: "any" }, loadedSettings.lookup).apiBase;
  } catch {
    return undefined;
  }
}

/** The settings as they would be with the answers. */
function withDraft(draft: Draft, runtime: Runtime): ModelSettings {
  const { settings } = runtime;
  const { name } = entryOf(draft.provider, runtime.settings);
  const changes = entryChanges(draft, runtime);
  const places = { providers: draft.key === undefined ? "config.yml" : "your answer" };
  if (Object.keys(changes).length === 0) return { ...settings, places };
  const providers = settings.providers ?? {};
  const entry = { ...(providers[name] as JsonObject | undefined), ...changes };
  return { ...settings, places, providers: { ...providers, [name]: entry } };
}

/** What an entry of `providers` needs so that the answers count; nothing where the provider is reached without one. */
function entryChanges({ provider, apiBase, key }: Draft, runtime: Runtime): JsonObject {
  const { type, apiBase: own } = entryOf(provider, runtime.settings);
  const builtin = builtinProvider(provider);
  // An entry has its own address or that of its type; without one the general settings count, too.
  const given = key === undefined ? baseOf(provider, runtime) : (own ?? builtin?.apiBase);
  const changesBase = apiBase !== undefined && apiBase !== given;
  if (key === undefined && !changesBase) return {};
  return {
    ...(type === undefined && { type: builtin === undefined ? "openai" : provider }),
    ...(changesBase && { api_base: apiBase }),
    ...(key !== undefined && { api_key: key }),
  };
}

function write(draft: Draft, { onboarding, runtime }: Round): void {
  const { name } = entryOf(draft.provider, runtime.settings);
  onboarding.set(["model"], `${draft.provider}:${draft.modelId}`);
  for (const [key, value] of Object.entries(entryChanges(draft, runtime)))
    if (value !== undefined) onboarding.set(["providers", name, key], value);
}
