// `tool.describe`: definitions by name, which also loads the deferred tools among them.
import * as v from "valibot";
import type { JsonSchema } from "../../base/schema.ts";
import { eventDraft } from "../../tape/entry.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { resolveTool, type Toolset } from "../../tools/toolset.ts";

interface Description {
  /** The alias: what a call has to say. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

interface Descriptions {
  readonly tools: readonly Description[];
  /** As they were asked for. */
  readonly unknown: readonly string[];
  /** Aliases of deferred tools whose definition the model has. */
  readonly already_loaded: readonly string[];
}

export const toolDescribe = defineTool({
  name: "tool.describe",
  exposure: "direct",
  description: "Get tools' parameters by name. A deferred tool can be called from the next step on.",
  input: v.strictObject({ names: v.array(v.string()) }),
  async run({ names }, context): Promise<Descriptions> {
    const { tools, unknown } = find(names, context);
    const before = loadedTools(context);
    const isLoaded = (tool: Tool) => before.has(tool);
    const fresh = tools.filter((tool) => isDeferred(tool, context.toolset) && !isLoaded(tool));
    if (fresh.length > 0) {
      const loaded = eventDraft("tool.loaded", { names: fresh.map(({ alias }) => alias) });
      await context.turn.tape.append([{ ...loaded, meta: { turn_id: context.turn.turnId } }]);
    }
    return {
      tools: tools
        .filter((tool) => !isLoaded(tool))
        .map(({ alias, description, parameters }) => ({ name: alias, description, parameters })),
      unknown,
      already_loaded: tools.filter(isLoaded).map(({ alias }) => alias),
    };
  },
});

/** In the order of the names, each once. */
function find(names: readonly string[], context: ToolContext): { tools: Tool[]; unknown: string[] } {
  const tools = new Set<Tool>();
  const unknown = new Set<string>();
  for (const name of names) {
    const tool = findTool(name, context);
    if (tool === undefined) unknown.add(name);
    else tools.add(tool);
  }
  return { tools: [...tools], unknown: [...unknown] };
}

function findTool(name: string, { toolset, origin }: ToolContext): Tool | undefined {
  // This tool itself may be offered though the allow-list lacks it.
  const tool = toolset.resolve(name)?.tool ?? toolset.find(name, "model")?.tool;
  const isForModels = tool?.exposure === "auto" || tool?.exposure === "direct";
  return isForModels || origin === "command" ? tool : undefined;
}

/** By the tape: the toolset of a person's command knows nothing of what the session loaded. */
function loadedTools({ toolset, turn }: ToolContext): ReadonlySet<Tool> {
  const tools = turn.tape.facts.loaded.map((name) => resolveTool(name, toolset.deferred)?.tool);
  return new Set(tools.filter((tool) => tool !== undefined));
}

/** In code mode some deferred tools are called from code, which needs no loading. */
function isDeferred(tool: Tool, { deferred }: Toolset): boolean {
  return deferred.some((owned) => owned.tool === tool);
}
