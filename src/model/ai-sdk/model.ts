// Models of AI SDK provider packages: driven below the SDK, one stream a call, and brought to end as all models do.

import { untilAborted } from "../../base/abort.ts";
import { BubError, messageOf } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { shownAddress } from "../../base/shown-address.ts";
import { nineLetterCallId, plainCallId } from "../conversation.ts";
import type { PackageAccess } from "../endpoint.ts";
import type { Endpoint } from "../errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { wantsAnswerAfterResults } from "../model-families.ts";
import type { Maker } from "../outline.ts";
import { objectSchemaOf } from "../tool-schema.ts";
import type { Transport } from "../transport.ts";
import { PartReader } from "./answer.ts";
import { toModelError } from "./call-error.ts";
import { type CallOptions, isLanguageModel, type LanguageModel } from "./interface.ts";
import { buildPrompt, type PromptOptions } from "./prompt.ts";
import { providerExports } from "./provider-exports.ts";
import { createTransportFetch } from "./transport-fetch.ts";

export interface PackageModelOptions {
  /** The part of `provider:model` before the colon. */
  readonly provider: string;
  readonly modelId: string;
  readonly access: PackageAccess;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Settings of each call, as `BUB_COMPLETION_ARGS` has them. */
  readonly completionArgs: JsonObject;
  readonly transport: Transport;
}

/**
 * The model that a package makes.
 * @param exported what the package exports
 * @throws BubError `config` when the package makes no model that can be asked
 */
export function createPackageModel(exported: Readonly<Record<string, unknown>>, options: PackageModelOptions): Model {
  const { provider, modelId } = options;
  const language = makeLanguageModel(exported, options);
  const known: Known = { language, files: new WeakMap() };
  return { provider, modelId, stream: (request) => streamParts(known, request, options) };
}

/** What a model keeps from one call to the next. */
interface Known extends Pick<PromptOptions, "files"> {
  readonly language: LanguageModel;
}

type Make = (settings: object) => unknown;

function makeLanguageModel(exported: Readonly<Record<string, unknown>>, options: PackageModelOptions): LanguageModel {
  const { provider, modelId, access, headers, transport } = options;
  const { package: name, apiBase, key } = access;
  const functions = Object.keys(exported).filter((one) => typeof exported[one] === "function");
  const [maker] = providerExports(functions, name);
  if (maker === undefined)
    throw new BubError("config", `The package ${name} exports no create… function that makes a provider of models.`);
  let made: unknown;
  try {
    const created = (exported[maker] as Make)({
      name: provider,
      ...(apiBase !== undefined && { baseURL: apiBase }),
      ...(key !== undefined && { apiKey: key }),
      headers,
      fetch: createTransportFetch(transport),
      ...access.options,
    });
    made = modelOf(created, modelId);
  } catch (error) {
    throw new BubError("config", `${maker}() of ${name} makes no model ${modelId}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (isLanguageModel(made)) return made;
  const version = (made as { specificationVersion?: unknown } | undefined)?.specificationVersion;
  throw new BubError(
    "config",
    `The models of ${name} speak version ${String(version)} of the AI SDK's interface; known are v2, v3 and v4.`,
    { hint: `Try another version of the package: bub install ${name}@<version>.` },
  );
}

function modelOf(provider: unknown, modelId: string): unknown {
  const { languageModel } = provider as { languageModel?: unknown };
  if (typeof languageModel === "function") return languageModel.call(provider, modelId);
  return (provider as (modelId: string) => unknown)(modelId);
}

async function* streamParts(
  { language, files }: Known,
  request: ModelRequest,
  options: PackageModelOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { signal } = request;
  signal.throwIfAborted();
  const { provider, modelId, access } = options;
  const maker: Maker = { provider, modelId, format: `ai-sdk ${access.package}` };
  const supportedUrls = (await language.supportedUrls) ?? {};
  const { prompt, hasMedia } = await buildPrompt(request, {
    maker,
    version: language.specificationVersion,
    supportedUrls,
    files,
    bridgesResults: wantsAnswerAfterResults(modelId),
    callId: language.provider.startsWith("mistral") ? nineLetterCallId : (id) => plainCallId(id, 64),
  });
  const answer = new PartReader(maker);
  let parts: ReadableStreamDefaultReader<unknown> | undefined;
  try {
    const call = callOptions(language, { ...request, prompt }, options);
    const { stream } = await untilAborted(Promise.resolve(language.doStream(call)), signal);
    parts = stream.getReader();
    while (!answer.isFinished) {
      const { done, value } = await untilAborted(parts.read(), signal);
      if (done) break;
      yield* answer.read(value);
    }
    yield* answer.end();
  } catch (error) {
    signal.throwIfAborted();
    const endpoint = endpointOf(options);
    throw toModelError(error, { endpoint, sentMedia: hasMedia, isAnswering: parts !== undefined });
  } finally {
    void parts?.cancel().catch(() => undefined);
  }
}

function endpointOf({ provider, access }: PackageModelOptions): Endpoint {
  const { package: name, apiBase, key, keySource } = access;
  return { provider, address: apiBase === undefined ? name : shownAddress(apiBase), keyVariable: keySource, key };
}

/** What is managed stands last: it wins. */
function callOptions(
  { provider, specificationVersion: version }: LanguageModel,
  { prompt, tools, maxTokens, reasoningEffort, signal }: ModelRequest & Pick<CallOptions, "prompt">,
  { completionArgs, headers }: PackageModelOptions,
): CallOptions {
  const own: Record<string, JsonValue | undefined> = {};
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(completionArgs)) {
    const setting = settingNames.get(name);
    if (setting === undefined) own[name] = value;
    else settings[setting] = setting === "stopSequences" && !Array.isArray(value) ? [value] : value;
  }
  if (reasoningEffort !== undefined && version !== "v4") own.reasoningEffort = reasoningEffort;
  const [key = provider] = provider.split(".");
  return {
    ...settings,
    ...(Object.keys(own).length > 0 && { providerOptions: { [key]: own } }),
    ...(reasoningEffort !== undefined && version === "v4" && { reasoning: reasoningEffort }),
    ...(tools.length > 0 && { tools: tools.map(toolOf), toolChoice: { type: "auto" as const } }),
    prompt,
    maxOutputTokens: maxTokens,
    headers,
    abortSignal: signal,
  };
}

function toolOf({ name, description, parameters }: ModelRequest["tools"][number]): object {
  return { type: "function", name, description, inputSchema: objectSchemaOf(parameters) };
}

/** Settings that the interface has names of its own for. */
const settingNames: ReadonlyMap<string, string> = new Map([
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"],
  ["seed", "seed"],
  ["stop", "stopSequences"],
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
]);
