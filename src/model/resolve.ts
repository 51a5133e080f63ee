// Makes the model that a name stands for.
import { BubError } from "../base/errors.ts";
import { isJsonObject } from "../base/json.ts";
import type { PackageModelOptions } from "./ai-sdk/model.ts";
import { findAccess, findPackageAccess, type WireName } from "./endpoint.ts";
import { guardModel } from "./guard.ts";
import type { Model } from "./model.ts";
import { defaultModel, type Lookup, type ModelSettings, parseModelName } from "./model-settings.ts";
import { createTransport, type Transport } from "./transport.ts";
import type { WireOptions } from "./wire.ts";

export interface ResolveOptions {
  readonly settings: ModelSettings;
  /** Default: no variable is set. */
  readonly lookup?: Lookup;
  /** Connections to share with other models. */
  readonly transport?: Transport;
  /** What a script's relative path starts from; default: the process's folder. */
  readonly folder?: string;
  /** Gives what a package of the plugin project exports; without it there are none. */
  readonly importPackage?: (name: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Told each secret, so that no log shows it. */
  readonly onSecret?: (secret: string) => void;
}

/**
 * The model named `provider:model` (default `openrouter:openrouter/free`). Loads its wire format, opens no connection.
 * @throws BubError `config` in one sentence that says what to set
 */
export async function resolveModel(name: string | undefined, options: ResolveOptions): Promise<Model> {
  const parsed = parseModelName(name ?? defaultModel);
  if (parsed === undefined) {
    throw new BubError("config", `"${name}" names no model: write provider:model, such as ${defaultModel}.`);
  }
  const { provider, modelId } = parsed;
  if (provider === "scripted") return loadScripted(modelId, options.folder);
  const { settings, lookup = () => undefined, transport = createTransport(), onSecret } = options;
  const { headers, timeoutMs } = readClientArgs(settings);
  const packaged = findPackageAccess(provider, settings, lookup);
  if (packaged !== undefined) {
    const completionArgs = settings.completionArgs ?? {};
    const model = await loadPackaged(
      { provider, modelId, access: packaged, headers, completionArgs, transport },
      options,
    );
    return timeoutMs === undefined ? model : guardModel(model, { timeoutMs });
  }
  const access = findAccess(provider, settings, lookup);
  if (access.key !== undefined) onSecret?.(access.key);
  const create = await loadWire(access.wire);
  const model = create({
    provider,
    modelId,
    apiBase: access.apiBase,
    key: access.key,
    keyVariable: access.keySource,
    headers,
    completionArgs: settings.completionArgs ?? {},
    transport,
  });
  return timeoutMs === undefined ? model : guardModel(model, { timeoutMs });
}

function loadWire(wire: WireName): Promise<(options: WireOptions) => Model> {
  switch (wire) {
    case "chat":
      return import("./chat-completions/model.ts").then(({ createChatCompletionsModel }) => createChatCompletionsModel);
    case "responses":
      return import("./responses/model.ts").then(({ createResponsesModel }) => createResponsesModel);
    case "anthropic":
      return import("./anthropic/model.ts").then(({ createAnthropicModel }) => createAnthropicModel);
    case "google":
      return import("./google/model.ts").then(({ createGoogleModel }) => createGoogleModel);
  }
}

async function loadPackaged(
  options: PackageModelOptions,
  { importPackage, onSecret }: Pick<ResolveOptions, "importPackage" | "onSecret">,
): Promise<Model> {
  const { access, provider } = options;
  if (access.key !== undefined) onSecret?.(access.key);
  if (importPackage === undefined)
    throw new BubError("config", `The package ${access.package} of the provider ${provider} cannot be loaded here.`);
  const exported = await importPackage(access.package);
  const { createPackageModel } = await import("./ai-sdk/model.ts");
  return createPackageModel(exported, options);
}

async function loadScripted(file: string, folder: string | undefined): Promise<Model> {
  const { loadScriptedModel } = await import("./scripted/model.ts");
  return loadScriptedModel(file, { folder });
}

interface ClientArgs {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
}

/** `default_headers` is what OpenAI's own clients call `headers`. Keys for other clients are passed over. */
export function readClientArgs({ clientArgs: args = {}, places }: ModelSettings): ClientArgs {
  const placeOf = (key: string) =>
    places?.clientArgs === "config.yml" ? `client_args.${key} in config.yml` : `BUB_CLIENT_ARGS.${key}`;
  const wrong = (key: string, expected: string) => new BubError("config", `${placeOf(key)} must be ${expected}.`);
  const { headers = args.default_headers, timeout, api_format: format } = args;
  if (headers !== undefined && !isJsonObject(headers)) throw wrong("headers", "an object of texts");
  if (timeout !== undefined && timeout !== null && (typeof timeout !== "number" || !(timeout > 0))) {
    throw wrong("timeout", "a number of seconds above 0");
  }
  if (format !== undefined && format !== "chat" && format !== "responses")
    throw wrong("api_format", "chat or responses");
  const texts = Object.entries(headers ?? {}).map(([name, value]) => {
    if (!isHeader(name, value)) throw wrong(`headers.${name}`, "one line of text");
    return [name.toLowerCase(), value];
  });
  return { headers: Object.fromEntries(texts), timeoutMs: typeof timeout === "number" ? timeout * 1000 : undefined };
}

function isHeader(name: string, value: unknown): boolean {
  const isName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
  return isName && typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
