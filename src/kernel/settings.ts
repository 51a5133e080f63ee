// Reads every setting from its layers and remembers where each value came from.
import { join, resolve } from "node:path";
import { BubError, codeOf, messageOf } from "../base/errors.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { nearestName } from "../base/near.ts";
import { readRegularFile } from "../base/regular-file.ts";
import { reasonOf } from "../base/system-reason.ts";
import { expandUserHome } from "../base/user-home.ts";
import { configKeyOf, type SettingName, type Settings, settingTable } from "./setting-table.ts";

export type { Settings } from "./setting-table.ts";

export type SettingSource = "flag" | "environment" | ".env" | "config.yml" | "default";

export interface SettingsRequest {
  /** Values from the command line or from the SDK; undefined ones are passed over. */
  flags?: Partial<Settings>;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the workspace; its `.env` is read. */
  workspace?: string;
}

export interface LoadedSettings {
  readonly values: Settings & { readonly home: string };
  readonly sources: Readonly<Record<SettingName, SettingSource>>;
  /** One sentence each: unknown keys, ignored `.env` lines, values that are no such thing. */
  readonly warnings: readonly string[];
  /**
   * A variable of the process's environment, else of `.env`: for the providers' own key names. `workspace` is what only
   * `.env` sets: its addresses are for its keys, and for no others.
   */
  readonly lookup: ((name: string) => string | undefined) & { readonly workspace: Readonly<Record<string, string>> };
  /** What config.yml says beyond the settings, for plugins: `subagents`, rules, their own sections. */
  readonly config: JsonObject;
}

/** Sections of config.yml that are not settings: plugins read them. */
const configSections = new Set(["subagents", "approvals", "plugin_settings"]);

/**
 * Flag or SDK argument > environment > the workspace's `.env` > `config.yml` > default.
 * @throws BubError `config` when config.yml cannot be read or parsed, or a flag or variable has no such value
 */
export async function loadSettings({ flags = {}, env, workspace }: SettingsRequest): Promise<LoadedSettings> {
  const home = flags.home ?? homeOf(env);
  const warnings: string[] = [];
  const file = join(home, "config.yml");
  const [dotenv, config] = await Promise.all([readDotenv(workspace, env, warnings), readConfig(file)]);
  const values: Record<string, unknown> = {};
  const sources: Record<string, SettingSource> = {};
  for (const name of Object.keys(settingTable) as SettingName[]) {
    const [value, source] = pick(name, { flags, env, dotenv, config, warnings, workspace });
    values[name] = value;
    sources[name] = source;
    if (source !== "config.yml") warnings.push(...passedOver(name, config));
  }
  values.home = home;
  warnAboutUnknown(env, config, warnings);
  return {
    values: values as LoadedSettings["values"],
    sources: sources as LoadedSettings["sources"],
    warnings,
    lookup: Object.assign((name: string) => valueIn(env, name) ?? dotenv[name], { workspace: onlyIn(dotenv, env) }),
    config,
  };
}

/** An empty variable is one that is not set. */
function valueIn(env: SettingsRequest["env"], name: string): string | undefined {
  return isBlank(env[name]) ? undefined : env[name];
}

function onlyIn(dotenv: Readonly<Record<string, string>>, env: SettingsRequest["env"]): Record<string, string> {
  return Object.fromEntries(Object.entries(dotenv).filter(([name]) => valueIn(env, name) === undefined));
}

/**
 * The folder for tapes, settings and plugins, as the environment says it; absolute. An empty variable is one that is not set:
 * nothing shall be kept in whichever folder this runs in. A leading `~/` that no shell has expanded is.
 * @throws BubError `config` for the `~name` of somebody else
 */
export function homeOf({ BUB_HOME: given = "" }: SettingsRequest["env"]): string {
  const path = expandUserHome(isBlank(given) ? "~/.bub" : given.trim());
  if (!path.startsWith("~")) return resolve(path);
  throw new BubError(
    "config",
    `BUB_HOME in the environment is ${JSON.stringify(given)}, but must be a folder's path.`,
    {
      hint: "Of ~ only ~/ is understood here: write the whole path.",
    },
  );
}

function isBlank(text: unknown): boolean {
  return typeof text === "string" && text.trim() === "";
}

/** What is wrong in config.yml would be a surprise as soon as nothing stands above it any more. */
function passedOver(name: SettingName, config: JsonObject): string[] {
  const key = configKeyOf(name);
  const raw = config[key];
  if (raw === undefined || name === "home") return [];
  const definition = settingTable[name];
  return definition.parse(raw) === undefined ? [misfit(`${key} in config.yml`, raw, definition)] : [];
}

interface Layers {
  flags: Partial<Settings>;
  env: SettingsRequest["env"];
  dotenv: Record<string, string>;
  config: JsonObject;
  warnings: string[];
  workspace: string | undefined;
}

function pick(name: SettingName, layers: Layers): [unknown, SettingSource] {
  const definition = settingTable[name];
  const { flags, env, dotenv, config } = layers;
  if (flags[name] !== undefined) return [flags[name], "flag"];
  const key = configKeyOf(name);
  const candidates: Candidate[] = [
    [env[definition.env], "environment", `${definition.env} in the environment`],
    [tightening(name, dotenv[definition.env], layers), ".env", `${definition.env} in the workspace's .env`],
    [name === "home" ? undefined : config[key], "config.yml", `${key} in config.yml`],
  ];
  // Only what is stricter than the user's own is left of a workspace's wish, and so it stands above that.
  const isWish = ([, source]: Candidate) => Number(source === ".env");
  if (name === "approve") candidates.sort((one, other) => isWish(other) - isWish(one));
  for (const [raw, source, place] of candidates) {
    // An empty variable is one that is not set; an empty text in config.yml is somebody's choice.
    if (raw === undefined || (isBlank(raw) && source !== "config.yml")) continue;
    const value = definition.parse(raw);
    if (value !== undefined) return [value, source];
    throw new BubError("config", misfit(place, raw, definition));
  }
  return [definition.default, "default"];
}

/** What was found, where, and how a sentence calls that. */
type Candidate = [raw: unknown, source: SettingSource, place: string];

function misfit(place: string, raw: unknown, { secret, expected }: (typeof settingTable)[SettingName]): string {
  const shown = typeof raw === "number" ? String(raw) : raw === null ? "empty" : JSON.stringify(raw);
  return `${place} is ${secret && raw !== null ? "***" : shown}, but must be ${expected}.`;
}

/** A workspace may ask for more approvals than the user's settings do, never for fewer. */
function tightening(name: SettingName, raw: string | undefined, { env, config }: Layers): string | undefined {
  if (name !== "approve" || raw === undefined) return raw;
  const strictness = ["never", "writes", "always"];
  const own = strictness.indexOf(String(valueIn(env, "BUB_APPROVE") ?? config.approve ?? "never"));
  // What the user wrote and nobody understands is no reason to ask less.
  return own >= 0 && strictness.indexOf(raw) > own ? raw : undefined;
}

async function readDotenv(
  workspace: string | undefined,
  env: SettingsRequest["env"],
  warnings: string[],
): Promise<Record<string, string>> {
  if (workspace === undefined) return {};
  const file = join(workspace, ".env");
  const text = await readIfThere(file, warnings);
  if (text === undefined) return {};
  const { parseEnv } = await import("node:util");
  const found = parseEnv(text) as Record<string, string>;
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(found)) {
    if (namesScript(name, value))
      warnings.push(
        `${name} in the workspace's .env is ignored: a workspace brings no code, and a script calls tools.`,
      );
    else if (isWorkspaceKey(name, found, env)) taken[name] = value;
    else if (name.startsWith("BUB_"))
      warnings.push(`${name} in the workspace's .env is ignored: a workspace may not set it.`);
  }
  return taken;
}

/** A scripted model does what its file says, as a program does. */
function namesScript(name: string, value: string): boolean {
  return (name === "BUB_MODEL" || name === "BUB_FALLBACK_MODELS") && /(^|[\s,["])scripted\s*:/i.test(value);
}

/** An address counts only beside a key of the same file, and where the user's own environment has none for it. */
function isWorkspaceKey(name: string, found: Record<string, string>, env: SettingsRequest["env"]): boolean {
  if (name.endsWith("_API_BASE")) {
    const key = name.replace(/_API_BASE$/, "_API_KEY");
    return !isBlank(found[key] ?? "") && valueIn(env, key) === undefined;
  }
  if (name.endsWith("_API_KEY")) return true;
  return Object.values(settingTable).some((definition) => definition.env === name && definition.workspace === true);
}

async function readIfThere(file: string, warnings: string[]): Promise<string | undefined> {
  try {
    return (await readRegularFile(file)).toString("utf8");
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR")
      warnings.push(`${file} cannot be read: ${reasonOf(error)}.`);
    return undefined;
  }
}

async function readConfig(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = (await readRegularFile(file)).toString("utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return {};
    const hint = "Make it a file that you can read, or set BUB_HOME to another folder.";
    throw new BubError("config", `${file} cannot be read: ${reasonOf(error)}.`, { hint, cause: error });
  }
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(text, { logLevel: "error" });
  } catch (error) {
    const [first = ""] = messageOf(error).split("\n");
    throw new BubError("config", `${file} is not valid YAML: ${first.replace(/:$/, ".")}`, { cause: error });
  }
  if (value === null || value === undefined) return {};
  if (isJsonObject(value)) return value;
  throw new BubError("config", `${file} must hold keys and values, such as "model: openai:gpt-5".`);
}

function warnAboutUnknown(env: SettingsRequest["env"], config: JsonObject, warnings: string[]): void {
  const names = Object.keys(settingTable) as SettingName[];
  const envNames = names.map((name) => settingTable[name].env);
  const known = new Set([...envNames, "BUB_OWNER", "BUB_SHELL_ID"]);
  for (const name of Object.keys(env)) {
    if (!name.startsWith("BUB_") || known.has(name) || /_API_(KEY|BASE)$/.test(name)) continue;
    const near = nearestName(name, envNames);
    if (near !== undefined) warnings.push(`${name} in the environment is no setting; did you mean ${near}?`);
  }
  const keys = names.map(configKeyOf);
  for (const key of Object.keys(config)) {
    if (key === "home") warnings.push("home in config.yml does nothing, since the file lies there: set BUB_HOME.");
    else if (!keys.includes(key) && !configSections.has(key))
      warnings.push(`${key} in config.yml is no setting${instead(key, keys)}`);
  }
}

/** What was probably meant, as the end of a sentence. */
function instead(key: string, keys: readonly string[]): string {
  const plain = key.toLowerCase().replace(/^bub_/, "");
  const own = /^(.+)_(api_(?:key|base))$/.exec(plain);
  // The variables of single providers have their place in the entry of that name.
  if (own !== null) return `; did you mean ${own[2]} of ${own[1]} in providers?`;
  const near = nearestName(
    plain,
    [...keys, ...configSections].filter((name) => name !== "home"),
  );
  return near === undefined ? "." : `; did you mean ${near}?`;
}
