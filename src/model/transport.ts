// HTTP requests of models: node's own client, loaded on the first request, connections kept for the next.
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import { version } from "../base/version.ts";
import { networkError } from "./network-error.ts";

export interface HttpRequest {
  readonly url: string;
  /** Names in lower case. `user-agent` and `content-length` are added. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent one after the other. */
  readonly body: readonly Uint8Array[];
  /** Aborted: the connection is closed, and whoever waits gets the signal's reason. */
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The body as it arrives, once.
   * @throws the signal's reason, or the system's error when the connection breaks
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Done with it: what little is left is read so that the connection can be used again. */
  release(): void;
  /** Closes the connection now. */
  destroy(): void;
}

/** Sends requests. Redirects are answers like others: following one would hand the key on. */
export interface Transport {
  /** @throws ModelError `network` or `malformed`, or the signal's reason */
  post(request: HttpRequest): Promise<HttpResponse>;
  /** @throws like `post` */
  get(request: Omit<HttpRequest, "body">): Promise<HttpResponse>;
  /** Closes the kept connections. */
  close(): void;
}

export interface TransportOptions {
  /** Most milliseconds until a connection stands. */
  connectTimeoutMs?: number;
  /** Resolves host names in the place of the system. */
  lookup?: LookupFunction;
}

interface Client {
  readonly agent: Agent;
  request(options: RequestOptions): ClientRequest;
}

/** How long the rest of a finished answer may take before its connection is given up, in milliseconds. */
const drainMs = 1_000;
/** How long the next request waits for that rest, rather than open a connection of its own, in milliseconds. */
const reuseMs = 20;

export function createTransport({ connectTimeoutMs = 20_000, lookup }: TransportOptions = {}): Transport {
  const clients = new Map<string, Promise<Client>>();
  const draining = new Set<Promise<void>>();
  const clientFor = (protocol: string): Promise<Client> => {
    const known = clients.get(protocol);
    if (known !== undefined) return known;
    const loaded = loadClient(protocol);
    clients.set(protocol, loaded);
    return loaded;
  };
  const ask = async (method: Call["method"], request: HttpRequest): Promise<HttpResponse> => {
    const url = new URL(request.url);
    const client = await clientFor(url.protocol);
    if (draining.size > 0) await atMost(reuseMs, Promise.all(draining));
    const call = { ...request, method, url, connectTimeoutMs, lookup, draining };
    try {
      return await send(client.request, { ...call, agent: client.agent });
    } catch (error) {
      // The server closed a kept connection while this request was on its way: nothing was read of it.
      if (error instanceof StaleConnection) return await send(client.request, { ...call, agent: false });
      throw error;
    }
  };
  return {
    post: (request) => ask("POST", request),
    get: (request) => ask("GET", { ...request, body: [] }),
    close() {
      for (const client of clients.values()) void client.then(({ agent }) => agent.destroy());
      clients.clear();
    },
  };
}

async function loadClient(protocol: string): Promise<Client> {
  const { Agent, request } = protocol === "https:" ? await import("node:https") : await import("node:http");
  return { agent: new Agent({ keepAlive: true, keepAliveMsecs: 15_000 }), request };
}

class StaleConnection extends Error {}

interface Call extends Omit<HttpRequest, "url"> {
  method: "POST" | "GET";
  url: URL;
  /** False: a connection of its own, not kept. */
  agent: Agent | false;
  connectTimeoutMs: number;
  lookup: LookupFunction | undefined;
  /** Connections whose finished answers are being read to their ends. */
  draining: Set<Promise<void>>;
}

function send(open: Client["request"], call: Call): Promise<HttpResponse> {
  const { method, url, headers, body, signal, agent, connectTimeoutMs, lookup } = call;
  const address = url.origin + url.pathname;
  const content = body.length === 1 && body[0] !== undefined ? body[0] : Buffer.concat(body);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = open({
      method,
      agent,
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      path: url.pathname + url.search,
      ...connecting(lookup),
      headers: {
        "user-agent": `bub/${version}`,
        ...headers,
        ...(method === "POST" && { "content-length": String(content.byteLength) }),
      },
    });
    const abort = () => request.destroy();
    const settled = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    request.on("error", (error) => {
      settled();
      if (signal.aborted) reject(signal.reason);
      else if (request.reusedSocket) reject(new StaleConnection("", { cause: error }));
      else reject(networkError(error, address));
    });
    request.once("response", (message) => resolve(responseOf(message, call, settled)));
    limitConnecting(request, connectTimeoutMs, url.protocol === "https:" ? "secureConnect" : "connect");
    request.end(content);
  });
}

function connecting(lookup: LookupFunction | undefined): RequestOptions {
  // Node gives each of a host's addresses a quarter of a second, too little for a distant one.
  return { autoSelectFamilyAttemptTimeout: 1_000, ...(lookup !== undefined && { lookup }) } as RequestOptions;
}

/** A server that takes a connection and then does not make it secure is as far away as one that takes none. */
function limitConnecting(request: ClientRequest, milliseconds: number, stands: "connect" | "secureConnect"): void {
  request.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = () => request.destroy(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" }));
    const timer = setTimeout(late, milliseconds);
    const stop = () => clearTimeout(timer);
    socket.once(stands, stop).once("close", stop);
  });
}

function responseOf(message: IncomingMessage, { signal, draining }: Call, settled: () => void): HttpResponse {
  // The reader of `body` learns of it; without one, nobody needs to.
  message.on("error", () => undefined);
  message.once("close", settled);
  return {
    status: message.statusCode ?? 0,
    headers: singleHeaders(message),
    body: readBody(message, signal),
    release() {
      if (message.destroyed || message.readableEnded) return;
      const drained = drain(message).finally(() => draining.delete(drained));
      draining.add(drained);
    },
    destroy: () => void message.destroy(),
  };
}

/** Resolves when the connection can be used again, or is closed. */
function drain(message: IncomingMessage): Promise<void> {
  // The message forgets its socket when it gives it back.
  const { socket } = message;
  return new Promise((resolve) => {
    const timer = setTimeout(() => message.destroy(), drainMs);
    const done = () => {
      clearTimeout(timer);
      socket.off("free", done).off("close", done);
      resolve();
    };
    timer.unref();
    socket.once("free", done).once("close", done);
    message.resume();
  });
}

function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(done, done);
  });
}

async function* readBody(message: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* message.iterator({ destroyOnReturn: false });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string | undefined> {
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return Object.fromEntries(single);
}
