// A model of the Chat Completions format on a server that misbehaves, for tests of its network.
import { afterAll } from "vitest";
import { createChatCompletionsModel } from "../../src/model/chat-completions/model.ts";
import { type GuardLimits, guardModel } from "../../src/model/guard.ts";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { createTransport, type TransportOptions } from "../../src/model/transport.ts";
import { type Behaviour, startFaultServer } from "../../src/testing/fault-server.ts";
import type { Reading } from "../contracts/golden-expectation.ts";
import { goldenStreams, readAll } from "../contracts/golden-streams.ts";

const transports: { close(): void }[] = [];
afterAll(() => {
  for (const transport of transports) transport.close();
});

export function modelAt(
  apiBase: string,
  limits: GuardLimits = {},
  options: TransportOptions = {},
  more: { graceMs?: number } = {},
): Model {
  const transport = createTransport(options);
  transports.push(transport);
  const model = createChatCompletionsModel({
    provider: "openai",
    modelId: "m",
    apiBase,
    key: "sk-very-secret",
    keyVariable: "OPENAI_API_KEY",
    headers: {},
    completionArgs: {},
    transport,
    ...more,
  });
  return guardModel(model, limits);
}

export function requestWith(signal: AbortSignal = new AbortController().signal): ModelRequest {
  const messages = [{ role: "user", content: "go" }] as const;
  return { system: "be brief", messages, tools: [], maxTokens: 100, loadMedia: async () => "", signal };
}

export const ask = (model: Model, signal?: AbortSignal): Promise<Reading> => readAll(model.stream(requestWith(signal)));

/** The golden stream of one text, whole. */
export const answer = goldenStreams.find(({ name }) => name === "openai-text")?.bytes.toString("utf8") ?? "";
/** That stream, broken off in the middle of the text. */
export const cutInText = answer.slice(0, answer.indexOf('" morning') + 40);
/** That stream to the end of its finish, without the usage. */
export const upToFinish = answer.slice(0, answer.indexOf("\n\n", answer.indexOf('"finish_reason":"stop"')) + 2);

/** What a model says whose server behaves like that. */
export async function onServer(behaviour: Behaviour, limits: GuardLimits = {}): Promise<Reading> {
  await using server = await startFaultServer([behaviour]);
  return await ask(modelAt(server.url, limits));
}
