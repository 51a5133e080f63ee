// Every setting, described once: its type, default, sentence, and whether a workspace's `.env` may set it.
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { expandUserHome } from "../base/user-home.ts";
import { type Prices, parsePrices } from "./prices.ts";

/** How one setting is read. `parse` gives undefined for text that is no such value. */
export interface SettingDefinition<Value> {
  /** `BUB_MODEL`; the key of config.yml is the same without `BUB_`, in lower case. */
  readonly env: string;
  readonly help: string;
  readonly default: Value;
  /** What a value looks like, for error messages: "a whole number above 0". */
  readonly expected: string;
  readonly parse: (raw: unknown) => Value | undefined;
  /** A workspace's `.env` may set it. */
  readonly workspace?: boolean;
  /** Shown masked. */
  readonly secret?: boolean;
}

type Words = Pick<SettingDefinition<unknown>, "env" | "help" | "workspace" | "secret">;

export const settingTable = {
  home: text({ env: "BUB_HOME", help: "Folder for tapes, settings and everything else Bub keeps." }, undefined),
  model: text(
    { env: "BUB_MODEL", help: "The model to ask, as provider:model.", workspace: true },
    "openrouter:openrouter/free",
  ),
  fallbackModels: list({
    env: "BUB_FALLBACK_MODELS",
    help: "Models to try in turn when one fails before its first word.",
    workspace: true,
  }),
  reasoningEffort: text(
    {
      env: "BUB_REASONING_EFFORT",
      help: "How hard the model should think; values depend on the provider.",
      workspace: true,
    },
    undefined,
  ),
  apiKey: text(
    {
      env: "BUB_API_KEY",
      help: "Key for the model's provider; BUB_<PROVIDER>_API_KEY is for one of them.",
      workspace: true,
      secret: true,
    },
    undefined,
  ),
  apiBase: text(
    {
      env: "BUB_API_BASE",
      help: "Address of the model's API; BUB_<PROVIDER>_API_BASE is for one provider.",
      workspace: true,
    },
    undefined,
  ),
  providers: object({
    env: "BUB_PROVIDERS",
    help: "Further endpoints by name: {type, api_base, api_key}, or {package, api_base, api_key, options}.",
    secret: true,
  }),
  clientArgs: object({
    env: "BUB_CLIENT_ARGS",
    help: "JSON for the client: headers, timeout, api_format.",
    secret: true,
  }),
  completionArgs: object({
    env: "BUB_COMPLETION_ARGS",
    help: "JSON added to each model request; what Bub manages wins.",
  }),
  prices: prices({
    env: "BUB_PRICES",
    help: "What models cost for a million tokens, by provider:model or the beginning of such names and a *.",
  }),
  maxSteps: number(
    { env: "BUB_MAX_STEPS", help: "Most model calls of one run; unset means no limit.", workspace: true },
    undefined,
    { whole: true, above: 0 },
  ),
  maxTokens: number({ env: "BUB_MAX_TOKENS", help: "Most tokens of one answer.", workspace: true }, 16_384, {
    whole: true,
    above: 0,
  }),
  modelTimeoutSeconds: number(
    {
      env: "BUB_MODEL_TIMEOUT_SECONDS",
      help: "Most seconds of one whole model call; unset means no limit.",
      workspace: true,
    },
    undefined,
    { above: 0 },
  ),
  modelIdleSeconds: number(
    { env: "BUB_MODEL_IDLE_SECONDS", help: "Most seconds without new content in a model call.", workspace: true },
    300,
    { above: 0 },
  ),
  contextWindow: number(
    {
      env: "BUB_CONTEXT_WINDOW",
      help: "The model's context window in tokens, when its provider does not tell.",
      workspace: true,
    },
    undefined,
    { whole: true, above: 0 },
  ),
  loopGuard: number(
    {
      env: "BUB_LOOP_GUARD",
      help: "Warn at this many equal calls with equal results in a row, then stop; 0 turns it off.",
      workspace: true,
    },
    8,
    { whole: true, from: 0 },
  ),
  maxToolConcurrency: number(
    { env: "BUB_MAX_TOOL_CONCURRENCY", help: "Most tools of one step that run at once.", workspace: true },
    16,
    { whole: true, above: 0 },
  ),
  commandPrefix: prefix({ env: "BUB_COMMAND_PREFIX", help: "What a text command starts with." }, ","),
  shellEnvAllow: list({
    env: "BUB_SHELL_ENV_ALLOW",
    help: "Names of BUB_ key variables that shell commands may see after all.",
  }),
  shellMaxBytes: number(
    { env: "BUB_SHELL_MAX_BYTES", help: "Most bytes kept of one shell's output.", workspace: true },
    1_073_741_824,
    { whole: true, above: 0 },
  ),
  spillThreshold: number(
    {
      env: "BUB_SPILL_THRESHOLD",
      help: "Tool results above this many tokens move to a sidecar; 0 turns it off.",
      workspace: true,
    },
    4096,
    { whole: true, from: 0 },
  ),
  tapeFsync: choice({ env: "BUB_TAPE_FSYNC", help: "When entries are forced onto the disk." }, "step", [
    "step",
    "always",
    "never",
  ]),
  approve: choice(
    {
      env: "BUB_APPROVE",
      help: "Which calls ask first. Tools run on this machine, not in a sandbox.",
      workspace: true,
    },
    "never",
    ["never", "writes", "always"],
  ),
  python: path({ env: "BUB_PYTHON", help: "The Python 3 that code mode runs." }, "python3"),
  subagentMaxConcurrency: number(
    { env: "BUB_SUBAGENT_MAX_CONCURRENCY", help: "Most subagents that run at once.", workspace: true },
    4,
    { whole: true, above: 0 },
  ),
  subagentTimeoutSeconds: number(
    {
      env: "BUB_SUBAGENT_TIMEOUT_SECONDS",
      help: "Stop a subagent after this many seconds; unset means no limit.",
      workspace: true,
    },
    undefined,
    { above: 0 },
  ),
  enabledChannels: list({ env: "BUB_ENABLED_CHANNELS", help: "Channels of the gateway: all, names, or !name." }),
  plugins: paths({ env: "BUB_PLUGINS", help: "Paths of plugins to load." }),
  logLevel: choice({ env: "BUB_LOG_LEVEL", help: "What goes into the log on stderr." }, "error", [
    "debug",
    "info",
    "warn",
    "error",
  ]),
};

type Table = typeof settingTable;
export type SettingName = keyof Table;
export type Settings = {
  readonly [Name in SettingName]: Table[Name] extends SettingDefinition<infer Value> ? Value : never;
};

/** The key of config.yml for a setting: `max_steps`. */
export function configKeyOf(name: SettingName): string {
  return settingTable[name].env.slice("BUB_".length).toLowerCase();
}

function text<Default extends string | undefined>(
  words: Words,
  fallback: Default,
): SettingDefinition<string | Default> {
  const parse = (raw: unknown) => (typeof raw === "string" && raw.trim() !== "" ? raw.trim() : undefined);
  return { ...words, default: fallback, expected: "text", parse };
}

/** No shell expands the `~/` of config.yml, of a list or of quoted text. */
function path<Default extends string>(words: Words, fallback: Default): SettingDefinition<string> {
  const { parse, ...definition } = text(words, fallback);
  return {
    ...definition,
    parse(raw) {
      const given = parse(raw);
      return given === undefined ? undefined : expandUserHome(given);
    },
  };
}

function paths(words: Words): SettingDefinition<readonly string[]> {
  const { parse, ...definition } = list(words);
  return { ...definition, parse: (raw) => parse(raw)?.map((one) => expandUserHome(one)) };
}

interface NumberLimits {
  whole?: boolean;
  above?: number;
  from?: number;
}

function number<Default extends number | undefined>(
  words: Words,
  fallback: Default,
  { whole = false, above = Number.NEGATIVE_INFINITY, from = Number.NEGATIVE_INFINITY }: NumberLimits,
): SettingDefinition<number | Default> {
  const least = above > Number.NEGATIVE_INFINITY ? `above ${above}` : `of ${from} or more`;
  const parse = (raw: unknown) => {
    const value =
      typeof raw === "number" ? raw : typeof raw === "string" && raw.trim() !== "" ? Number(raw) : Number.NaN;
    const right = Number.isFinite(value) && value > above && value >= from && (!whole || Number.isSafeInteger(value));
    return right ? value : undefined;
  };
  return { ...words, default: fallback, expected: `a ${whole ? "whole " : ""}number ${least}`, parse };
}

function list(words: Words): SettingDefinition<readonly string[]> {
  const parse = (raw: unknown) => {
    const value = typeof raw === "string" ? (raw.trim().startsWith("[") ? parseJson(raw) : raw.split(",")) : raw;
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return undefined;
    return value.map((item) => item.trim()).filter((item) => item !== "");
  };
  return { ...words, default: [], expected: "a list of texts: comma-separated, or JSON", parse };
}

function object(words: Words): SettingDefinition<JsonObject> {
  const parse = (raw: unknown) => {
    const value = typeof raw === "string" ? parseJson(raw) : raw;
    return isJsonObject(value) ? value : undefined;
  };
  return { ...words, default: {}, expected: "an object of keys and values, in JSON where it is a variable", parse };
}

function prices(words: Words): SettingDefinition<Prices> {
  const parse = (raw: unknown) => parsePrices(typeof raw === "string" ? parseJson(raw) : raw);
  return {
    ...words,
    default: {},
    expected: "an object of models, each with input, output and, where it has one, cached_input, as numbers",
    parse,
  };
}

function choice<const Choice extends string>(
  words: Words,
  fallback: Choice,
  choices: readonly Choice[],
): SettingDefinition<Choice> {
  const parse = (raw: unknown) => choices.find((option) => option === raw);
  return { ...words, default: fallback, expected: `one of ${choices.join(", ")}`, parse };
}

function prefix(words: Words, fallback: string): SettingDefinition<string> {
  const parse = (raw: unknown) => (typeof raw === "string" && /^\S+$/u.test(raw) ? raw : undefined);
  return { ...words, default: fallback, expected: "characters without white space", parse };
}
