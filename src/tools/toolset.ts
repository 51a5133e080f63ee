// The tools of a run: which exist, who may see each, and what a name means.
import { nearestNames } from "../base/near.ts";
import type { ModelTool } from "../model/model.ts";
import { aliasOf, codeNameOf } from "./define-tool.ts";
import type { CallOrigin, Tool } from "./tool.ts";

/** A tool and the name of the plugin that it comes from. */
export interface OwnedTool {
  readonly tool: Tool;
  readonly plugin: string;
}

/** What narrows a run's tools. Names may be runtime names or aliases. */
export interface ToolScope {
  /** What is outside does not exist anywhere in the run; without a list, every tool is allowed. */
  readonly allowed?: readonly string[];
  /** The session's setting; it counts only where `run_code` is allowed. */
  readonly codeMode?: boolean;
  /** Deferred tools that `tool.describe` loaded, in load order. */
  readonly loaded?: readonly string[];
}

export interface Toolset {
  /** Every allowed tool of any exposure, in a fixed order. */
  readonly all: readonly OwnedTool[];
  /** Whether this run is in code mode. */
  readonly codeMode: boolean;
  /** What the model can call now, in the order of the request: loaded tools come last. */
  readonly offered: readonly OwnedTool[];
  /** What code in `run_code` can call; empty outside code mode. */
  readonly fromCode: readonly OwnedTool[];
  /** What the model has to load first, loaded or not. */
  readonly deferred: readonly OwnedTool[];
  isLoaded(tool: Tool): boolean;
  /** Definitions of what is offered: the same array, and the same objects, every time. */
  modelTools(): readonly ModelTool[];
  /** An allowed tool by runtime name, else by alias; trimmed, in any case. */
  resolve(name: string): OwnedTool | undefined;
  /** What a call of this name runs; a person's command has to spell the runtime name exactly. */
  find(name: string, origin: CallOrigin): OwnedTool | undefined;
  /** For the model that called a name which nothing answers to: what to do instead. */
  guidance(name: string): string;
}

const runCode = "run_code";
const loader = "tool.describe";

/** @param tools in the order of their plugins: of two with one name or alias the later stays */
export function createToolset(tools: readonly OwnedTool[], scope: ToolScope = {}): Toolset {
  const existing = withoutReplaced(tools, (tool) => tool.alias);
  const all = allowedOf(existing, scope.allowed).sort(byAlias);
  const codeMode = scope.codeMode === true && all.some(({ tool }) => tool.name === runCode);
  const fromCode = codeMode ? codeTools(existing, all).sort(byAlias) : [];
  const direct = all.filter(({ tool }) => isForModel(tool, codeMode));
  const deferred = direct.filter(({ tool }) => tool.deferred);
  const loaded = loadedOf(deferred, scope.loaded ?? []);
  const offered = [...offeredAtOnce(direct, existing).sort(byAlias), ...loaded];
  let built: readonly ModelTool[] | undefined;

  return {
    all,
    codeMode,
    offered,
    fromCode,
    deferred,
    isLoaded: (tool) => loaded.some((owned) => owned.tool === tool),
    modelTools() {
      built ??= offered.map(({ tool }) => definitionOf(tool));
      return built;
    },
    resolve: (name) => resolveTool(name, all),
    find(name, origin) {
      if (origin === "command") return all.find(({ tool }) => tool.name === name);
      if (origin === "code") return fromCode.find(({ tool }) => codeNameOf(tool) === name);
      return offered.find(({ tool }) => tool.alias === name) ?? resolveTool(name, offered);
    },
    guidance: (name) => renderGuidance(name, { offered, fromCode, deferred }),
  };
}

/** By runtime name, else by alias; trimmed, in any case, the exact spelling first. */
export function resolveTool(name: string, tools: readonly OwnedTool[]): OwnedTool | undefined {
  const wanted = name.trim();
  const folded = wanted.toLowerCase();
  return (
    tools.find(({ tool }) => tool.name === wanted) ??
    tools.find(({ tool }) => tool.name.toLowerCase() === folded) ??
    tools.find(({ tool }) => tool.alias === wanted) ??
    tools.find(({ tool }) => tool.alias.toLowerCase() === folded)
  );
}

function withoutReplaced(tools: readonly OwnedTool[], nameOf: (tool: Tool) => string): OwnedTool[] {
  const kept = new Map<string, OwnedTool>();
  for (const owned of tools) {
    const name = nameOf(owned.tool);
    // Deleted first, so that the survivors stand in the order of their plugins.
    kept.delete(name);
    kept.set(name, owned);
  }
  return [...kept.values()];
}

function byAlias({ tool: one }: OwnedTool, { tool: other }: OwnedTool): number {
  return one.alias < other.alias ? -1 : 1;
}

function allowedOf(tools: readonly OwnedTool[], allowed: readonly string[] | undefined): OwnedTool[] {
  if (allowed === undefined) return [...tools];
  const chosen = new Set(allowed.map((name) => resolveTool(name, tools)));
  return tools.filter((owned) => chosen.has(owned));
}

function codeTools(existing: readonly OwnedTool[], allowed: readonly OwnedTool[]): OwnedTool[] {
  const forCode = existing.filter((owned) => allowed.includes(owned)).filter(({ tool }) => isForCode(tool));
  // Two aliases can be one identifier in code (`a-b`, `a_b`).
  return withoutReplaced(forCode, codeNameOf);
}

function isForCode({ exposure }: Tool): boolean {
  return exposure === "auto" || exposure === "code";
}

function isForModel(tool: Tool, codeMode: boolean): boolean {
  if (tool.name === runCode) return codeMode;
  return tool.exposure === "direct" || (tool.exposure === "auto" && !codeMode);
}

function loadedOf(deferred: readonly OwnedTool[], names: readonly string[]): readonly OwnedTool[] {
  const found = names.map((name) => resolveTool(name, deferred));
  return [...new Set(found)].filter((owned) => owned !== undefined);
}

/** A deferred tool brings the tool that loads it, whatever the allow-list says. */
function offeredAtOnce(direct: readonly OwnedTool[], existing: readonly OwnedTool[]): OwnedTool[] {
  const needsLoader = direct.some(({ tool }) => tool.deferred);
  const atOnce = new Set(direct.filter(({ tool }) => !tool.deferred));
  return existing.filter((owned) => atOnce.has(owned) || (needsLoader && owned.tool.name === loader));
}

const definitions = new WeakMap<Tool, ModelTool>();

/** One object a tool, so that a wire format can keep what it serialised for it. */
function definitionOf(tool: Tool): ModelTool {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  const definition = { name: tool.alias, description: tool.description, parameters: tool.parameters };
  definitions.set(tool, definition);
  return definition;
}

function renderGuidance(
  name: string,
  { offered, fromCode, deferred }: Pick<Toolset, "offered" | "fromCode" | "deferred">,
) {
  const waiting = deferred.filter((owned) => !offered.includes(owned));
  const unloaded = resolveTool(name, waiting);
  if (unloaded !== undefined) {
    const { alias } = unloaded.tool;
    return `Tool '${alias}' is not loaded. Call tool_describe with names ["${alias}"] first; it can be called from the next step on.`;
  }
  const direct = [...offered, ...waiting].map(({ tool }): [string, string] => [tool.alias, tool.alias]);
  const coded = fromCode.map(({ tool }): [string, string] => [
    codeNameOf(tool),
    `tools.${codeNameOf(tool)} inside run_code`,
  ]);
  const close = closeNames(name, new Map([...coded, ...direct]));
  if (close.length > 0) return `Unknown tool '${name}'. Did you mean ${close.join(", ")}?`;
  return `Unknown tool '${name}'. If it is a skill, call skill with its name; skill without a name lists what there is.`;
}

const mostCloseNames = 3;

/** @param shown each name and how it is shown */
function closeNames(wanted: string, shown: ReadonlyMap<string, string>): string[] {
  const word = aliasOf(wanted.trim()).toLowerCase();
  const near = nearestNames(word, shown.keys(), mostCloseNames);
  const containing = word.length < 3 ? [] : [...shown.keys()].filter((name) => name.toLowerCase().includes(word));
  return [...new Set([...near, ...containing])].slice(0, mostCloseNames).map((name) => shown.get(name) ?? name);
}
