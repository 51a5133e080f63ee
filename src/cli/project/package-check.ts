// What an installed package is good for: a plugin, a provider of models, or one of those that Bub knows how to use.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { delay } from "../../base/abort.ts";
import { BubError, messageOf } from "../../base/errors.ts";
import { entryFile, type InstalledPackage } from "../../base/installed-packages.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { checkIdentity } from "../../kernel/plugin-loader.ts";
import { pluginFile, readBubField } from "../../kernel/plugin-project.ts";
import { providerExports } from "../../model/ai-sdk/provider-exports.ts";

export interface CheckOptions {
  /** The user says that it gives models. */
  readonly isProvider: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Most milliseconds that loading it may take. */
  readonly timeoutMs?: number;
}

/** Packages without a `bub` field that a part of Bub imports when they are there, and for what. */
const usedPackages: ReadonlyMap<string, string> = new Map([
  ["sharp", "scales pictures that are too large for a model"],
]);

/**
 * Loads the package in a process of its own and answers what it is, as the end of a line such as `the plugin weather`.
 * @throws BubError `config` in one sentence that says why it is of no use here, or the signal's reason
 */
export async function checkPackage(found: InstalledPackage, options: CheckOptions): Promise<string> {
  try {
    const field = readBubField(found.manifest);
    if (field !== undefined) return describePlugin(await load(pluginFile(found, field), options));
    const use = usedPackages.get(found.name);
    if (use !== undefined) return await describeUsed(use, found, options);
    if (options.isProvider || isAiSdkProvider(found.manifest)) return await describeProvider(found, options);
  } catch (error) {
    options.signal.throwIfAborted();
    throw new BubError("config", `${found.name} ${found.version} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new BubError("config", `${found.name} ${found.version} is no plugin: its package.json has no bub field.`, {
    hint: `If it makes models by the AI SDK's interface: bub install --provider ${found.name}.`,
  });
}

function describePlugin({ isMarked, name, apiVersion, type }: LoadReport): string {
  if (!isMarked) throw new Error("its file has no default export made by definePlugin().");
  // What makes a plugin has its name, and says its version, only when a runtime asks it.
  if (type === "function") return "a plugin";
  checkIdentity({ name, apiVersion });
  return `the plugin ${String(name)}`;
}

async function describeUsed(use: string, found: InstalledPackage, options: CheckOptions): Promise<string> {
  await load(entryFile(found), options);
  return use;
}

/** Each of them is written against the AI SDK's interface, and so depends on it. */
function isAiSdkProvider({ dependencies, peerDependencies }: JsonObject): boolean {
  return [dependencies, peerDependencies].some(
    (list) => isJsonObject(list) && ["@ai-sdk/provider", "@ai-sdk/provider-utils"].some((name) => name in list),
  );
}

async function describeProvider(found: InstalledPackage, options: CheckOptions): Promise<string> {
  const { functions } = await load(entryFile(found), options);
  const [maker] = providerExports(functions, found.name);
  if (maker === undefined) throw new Error("it exports no create… function that makes a provider of models.");
  return `models, by ${maker}()`;
}

interface LoadReport {
  /** The names of the functions that it exports. */
  readonly functions: readonly string[];
  /** Of the default export. */
  readonly isMarked: boolean;
  readonly type: string;
  readonly name: JsonValue | undefined;
  readonly apiVersion: JsonValue | undefined;
}

/** Runs in a process of its own: what a package does while it loads, such as ending the process, is seen and harms nobody. */
const loader = `
import { writeSync } from "node:fs";
const tell = (report) => { writeSync(3, JSON.stringify(report)); process.exit(0); };
try {
  const loaded = await import(process.argv[1]);
  const plugin = loaded.default;
  const isMarked = (typeof plugin === "object" || typeof plugin === "function") && plugin !== null && Symbol.for("bub.plugin") in plugin;
  const functions = Object.keys(loaded).filter((name) => typeof loaded[name] === "function");
  tell({ functions, isMarked, type: typeof plugin, name: plugin?.name, apiVersion: plugin?.apiVersion });
} catch (error) {
  tell({ error: String(error?.message ?? error) });
}`;

/** @throws Error with the end of a sentence */
async function load(file: string, { env, signal, timeoutMs = 30_000 }: CheckOptions): Promise<LoadReport> {
  const words = ["--input-type=module", "--eval", loader, pathToFileURL(file).href];
  const child = spawn(process.execPath, words, { env, detached: true, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  process.once("exit", kill);
  const over = new AbortController();
  try {
    const report = child.stdio[3] as NodeJS.ReadableStream;
    const work = Promise.all([text(report), once(child, "exit")] as const);
    const late = delay(timeoutMs, AbortSignal.any([signal, over.signal]));
    const first = await Promise.race([work, late]);
    if (first === undefined) throw new Error(`loading it takes longer than ${timeoutMs / 1000} seconds.`);
    const [said, [code]] = first;
    return readReport(parseJson(said), code as number | null);
  } finally {
    over.abort();
    process.off("exit", kill);
    kill();
  }
}

function readReport(report: JsonValue | undefined, code: number | null): LoadReport {
  if (!isJsonObject(report)) {
    // Node's own code for a module that waits for something that never comes.
    const why = code === 13 ? "its loading never comes to an end" : "loading it ended the process";
    throw new Error(`${why}.`);
  }
  if (typeof report.error === "string") throw new Error(`loading it failed: ${report.error}`);
  const functions = Array.isArray(report.functions) ? report.functions.map(String) : [];
  return {
    functions,
    isMarked: report.isMarked === true,
    type: String(report.type),
    name: report.name,
    apiVersion: report.apiVersion,
  };
}
