// The built-in model that answers from a script file: `scripted:<file>`.
import { resolve } from "node:path";
import { BubError, codeOf } from "../../base/errors.ts";
import { readRegularFile } from "../../base/regular-file.ts";
import { reasonOf } from "../../base/system-reason.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { playAnswer } from "./play.ts";
import { AnswerFinder, standingOf } from "./position.ts";
import type { Script } from "./script.ts";
import { parseScript } from "./script-parser.ts";

export interface ScriptedModelOptions {
  /** What a relative path starts from; default: the process's folder. */
  readonly folder?: string;
}

/**
 * Reads a script (YAML or JSON) and makes the model that plays it. Needs no network and keeps no state that matters:
 * the place in the script is read from the conversation.
 * @throws BubError `config` naming the file, and the line of what is wrong in it
 */
export async function loadScriptedModel(
  file: string,
  { folder = process.cwd() }: ScriptedModelOptions = {},
): Promise<Model> {
  const script = await parseScript(await readScriptFile(resolve(folder, file), file), file);
  return createScriptModel(script, file);
}

/** The model of a script; `name` is its model id. */
export function createScriptModel(script: Script, name: string): Model {
  const finder = new AnswerFinder(script);
  async function* stream({ messages, signal }: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    const standing = standingOf(messages);
    const answer = finder.find(standing);
    if (answer === undefined) {
      const message = `The script ${name} has no answer number ${standing.answered + 1} for this conversation: add one, or say what comes after its end (after: repeat).`;
      throw new ModelError(message, { failure: "rejected", retryable: false });
    }
    yield* playAnswer(answer, { standing, signal });
  }
  return { provider: "scripted", modelId: name, stream };
}

async function readScriptFile(path: string, file: string): Promise<string> {
  try {
    return (await readRegularFile(path)).toString("utf8");
  } catch (error) {
    const why = codeOf(error) === "ENOENT" ? "it does not exist" : reasonOf(error);
    throw new BubError("config", `The script ${file} cannot be read: ${why}.`, { cause: error });
  }
}
