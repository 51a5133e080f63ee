// One question to a model of the fake AI SDK package, and all that comes of it.
import { isJsonObject, type JsonObject, parseJson } from "../../src/base/json.ts";
import { guardModel } from "../../src/model/guard.ts";
import type { ModelRequest } from "../../src/model/model.ts";
import { isModelError } from "../../src/model/model-error.ts";
import type { ModelSettings } from "../../src/model/model-settings.ts";
import { type Behaviour, events, startFaultServer } from "../../src/testing/fault-server.ts";
import { readAll } from "../contracts/golden-streams.ts";
import { question } from "../contracts/model.ts";
import { finishPart, packageModel, partLines, textParts } from "./package-model.ts";

export type PackageOptions = { entry?: JsonObject; modelId?: string } & ModelSettings;

/** What the model gives for a stream, and what was asked of the server. */
export async function askPackage(
  behaviour: Behaviour,
  request: Partial<ModelRequest> = {},
  options: PackageOptions = {},
) {
  await using server = await startFaultServer([behaviour]);
  const model = guardModel(await packageModel(server.url, options));
  const reading = await readAll(model.stream({ ...question, signal: new AbortController().signal, ...request }));
  const seen = await Promise.race([server.request(1), new Promise<void>((none) => setImmediate(none))]);
  const body = parseJson(seen?.body.toString() ?? "");
  return { ...reading, sent: isJsonObject(body) ? body : {}, headers: seen?.headers ?? {} };
}

/** A server that sends these parts. */
export const says = (...parts: readonly object[]): Behaviour => events(partLines(...parts));

/** The shortest whole answer. */
export const saysOk: Behaviour = says(...textParts("1", "ok"), finishPart("stop"));

/** The kind of failure that an error is; the error itself when it is another one. */
export const failureOf = (error: unknown) => (isModelError(error) ? error.facts.failure : error);
