// What each wire format makes of a conversation, and what its provider would refuse of it.
import { isJsonObject, type JsonObject, parseJson } from "../../src/base/json.ts";
import type { ModelMessage, ModelRequest } from "../../src/model/model.ts";
import type { Transport } from "../../src/model/transport.ts";
import { readAll, type TestedFormat, testedFormats } from "../contracts/golden-streams.ts";
import { validators } from "./wire-validators.ts";

/** Answers the first thing that any provider would refuse, with the format's name. */
export async function wireProblem(messages: readonly ModelMessage[]): Promise<string | undefined> {
  for (const tested of testedFormats) {
    const problem = validators[tested.format](await bodyOf(tested, messages));
    if (problem !== undefined) return `${tested.format}: ${problem}`;
  }
  return undefined;
}

export async function bodyOf(tested: TestedFormat, messages: readonly ModelMessage[]): Promise<JsonObject> {
  const rest = { system: "be brief", tools: [], maxTokens: 4096, signal: new AbortController().signal };
  const text = await recording(tested)({ ...rest, messages, loadMedia: async ({ data }) => data ?? "AAAA" });
  const body = parseJson(text);
  return isJsonObject(body) ? body : {};
}

/** A model of the format: answers what it would have sent for each request. */
export function recording({ create, provider, modelId }: TestedFormat): (request: ModelRequest) => Promise<string> {
  const bodies: string[] = [];
  const transport: Transport = {
    async post({ body }) {
      bodies.push(Buffer.concat(body).toString("utf8"));
      throw new Error("not asked");
    },
    get: () => Promise.reject(new Error("not asked")),
    close: () => undefined,
  };
  const common = { apiBase: "http://127.0.0.1/v1", key: undefined, keyVariable: undefined, headers: {} };
  const model = create({ ...common, provider, modelId, completionArgs: {}, transport });
  return async (request) => {
    await readAll(model.stream(request));
    return bodies.at(-1) ?? "";
  };
}
