// Request bodies of one wire format, for tests of what it makes of a message.
import type { JsonObject } from "../../src/base/json.ts";
import type { ModelMessage, ModelRequest, ModelTool } from "../../src/model/model.ts";
import type { Maker } from "../../src/model/outline.ts";
import type { RequestBody } from "../../src/model/wire.ts";

export interface BodyMore extends Partial<ModelRequest> {
  /** Completion arguments of the settings. */
  extra?: JsonObject;
  modelId?: string;
}

type BodyBuilder = new (maker: Maker, extra: JsonObject) => { build(request: ModelRequest): Promise<RequestBody> };

const tools: readonly ModelTool[] = [
  { name: "fs_read", description: "Read.", parameters: { type: "object", properties: {} } },
];

/** Gives a function that builds the body of messages; what a test does not name is the same for all formats. */
export function bodiesOf(Builder: BodyBuilder, maker: Maker, { maxTokens = 100 } = {}) {
  return async (
    messages: readonly ModelMessage[],
    { extra = {}, modelId = maker.modelId, ...more }: BodyMore = {},
  ): Promise<JsonObject> => {
    const request: ModelRequest = {
      system: "be brief",
      messages,
      tools,
      maxTokens,
      loadMedia: async ({ sha256 }) => `bytes-of-${sha256}`,
      signal: new AbortController().signal,
      ...more,
    };
    const { chunks } = await new Builder({ ...maker, modelId }, extra).build(request);
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  };
}

/** A user's message. */
export const user = (content: string): ModelMessage => ({ role: "user", content });
