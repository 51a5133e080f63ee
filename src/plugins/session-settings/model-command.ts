// `,model`: the session's model, shown with the choices, or switched.
import * as v from "valibot";
import { BubError, isBubError, messageOf } from "../../base/errors.ts";
import { findModel } from "../../kernel/find-model.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { listChoices } from "./model-choices.ts";
import { fromNextTurn, isCleared, switchSetting } from "./setting-event.ts";

export function modelCommand(runtime: Runtime): Tool {
  return defineTool({
    name: "model",
    description: "Show this session's model and the choices, or switch it; null goes back to the settings' model.",
    exposure: "command",
    input: v.strictObject({ model_id: v.optional(v.nullable(v.string())) }),
    async run({ model_id: given }, { turn, signal }) {
      if (given === undefined) return renderChoices(turn.tape.facts.settings.model, runtime, signal);
      if (isCleared(given)) {
        await switchSetting(turn, "model", null);
        return `model: ${runtime.settings.model} (the settings' model). ${fromNextTurn}`;
      }
      const id = given.trim();
      if (!/^[^:\s]+:\S/.test(id)) {
        throw new BubError(
          "invalid_input",
          `The model "${id}" is not written as provider:model, such as openai:gpt-5.`,
        );
      }
      const problem = await problemOf(id, runtime);
      await switchSetting(turn, "model", id);
      return [`model: ${id}. ${fromNextTurn}`, ...problem].join("\n");
    },
  });
}

/** A key may come later, so a model that cannot be used now is chosen all the same. */
async function problemOf(id: string, runtime: Runtime): Promise<string[]> {
  try {
    await findModel(id, runtime);
    return [];
  } catch (error) {
    const hint = isBubError(error) && error.hint !== undefined ? ` ${error.hint}` : "";
    return [`It cannot be used as things are: ${messageOf(error)}${hint}`];
  }
}

async function renderChoices(own: string | undefined, runtime: Runtime, signal: AbortSignal): Promise<string> {
  const { model, commandPrefix: prefix } = runtime.settings;
  const current = own === undefined ? `${model} (the settings' model)` : `${own} (this session's)`;
  const { choices, notes } = await listChoices(runtime, { own, signal });
  return [
    `model: ${current}`,
    "choices:",
    ...choices.map((choice) => `- ${choice}`),
    ...notes,
    `Switch with ${prefix}model provider:model; ${prefix}model null goes back to the settings' model.`,
  ].join("\n");
}
