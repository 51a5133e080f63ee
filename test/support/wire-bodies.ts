// What each wire format makes of a conversation, and what its provider would refuse of it.
import { isJsonObject, type JsonObject, parseJson } from "../../src/base/json.ts";
import type { ModelMessage } from "../../src/model/model.ts";
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
  const bodies: string[] = [];
  const transport: Transport = {
    async post({ body }) {
      bodies.push(Buffer.concat(body).toString("utf8"));
      throw new Error("not asked");
    },
    get: () => Promise.reject(new Error("not asked")),
    close: () => undefined,
  };
  const { provider, modelId } = tested;
  const common = { apiBase: "http://127.0.0.1/v1", key: undefined, keyVariable: undefined, headers: {} };
  const model = tested.create({ ...common, provider, modelId, completionArgs: {}, transport });
  const rest = { system: "be brief", tools: [], maxTokens: 4096, signal: new AbortController().signal };
  await readAll(model.stream({ ...rest, messages, loadMedia: async ({ data }) => data ?? "AAAA" }));
  const body = parseJson(bodies.at(-1) ?? "");
  return isJsonObject(body) ? body : {};
}
