// The body of a request as its provider would get it: made by the provider's own wire format, and never sent.
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { findAccess, type WireName } from "./endpoint.ts";
import type { Model, ModelRequest } from "./model.ts";
import type { Lookup } from "./model-settings.ts";
import { resolveModel } from "./resolve.ts";
import type { Transport } from "./transport.ts";

export interface RequestBodies {
  readonly wire: WireName;
  /** What is kept of earlier bodies makes the next one cheap. */
  build(request: Omit<ModelRequest, "signal">): Promise<{ body: JsonObject; bytes: number }>;
}

export interface Endpoints {
  /** `BUB_PROVIDERS`. */
  readonly providers?: JsonObject;
  /** Where addresses of providers are looked up; keys are not asked for. */
  readonly lookup?: Lookup;
}

/**
 * @param name `provider:model`
 * @param endpoints further providers than those that everybody knows
 * @throws BubError `config` for a provider that nobody knows
 */
export async function createRequestBodies(name: string, endpoints: Endpoints = {}): Promise<RequestBodies> {
  let sent: Buffer | undefined;
  const transport: Transport = {
    async post({ body }) {
      sent = Buffer.concat(body);
      throw new Error("never sent");
    },
    get: () => Promise.reject(new Error("never asked")),
    close: () => undefined,
  };
  // Any key will do.
  const lookup = (variable: string) => (variable.endsWith("_KEY") ? "none" : endpoints.lookup?.(variable));
  const settings = { providers: endpoints.providers };
  const model = await resolveModel(name, { settings, lookup, transport });
  return {
    wire: findAccess(model.provider, settings, lookup).wire,
    async build(request) {
      sent = undefined;
      await takeFirst(model, { ...request, signal: new AbortController().signal });
      const body = sent === undefined ? undefined : parseJson((sent as Buffer).toString("utf8"));
      return { body: isJsonObject(body) ? body : {}, bytes: (sent as Buffer | undefined)?.length ?? 0 };
    },
  };
}

async function takeFirst(model: Model, request: ModelRequest): Promise<void> {
  try {
    for await (const _event of model.stream(request)) return;
  } catch {
    // That it was not sent is all that can be said of it.
  }
}
