// A local HTTP server that answers models as told, well or badly, and keeps what it was sent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One request as it came over the wire. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes of the body. */
  readonly body: Buffer;
  /** The client's port: equal for requests over one connection. */
  readonly port: number;
}

/** One way to answer. Ends when the answer is sent or the client is gone. */
export type Behaviour = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface FaultServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1`, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** In order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Connections that are open now. */
  readonly connections: number;
  /** Resolves with the request of that number (from 1) once its body has come. */
  request(number: number): Promise<SeenRequest>;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1. Each request takes the next behaviour; the last one stays. */
export async function startFaultServer(behaviours: readonly Behaviour[]): Promise<FaultServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    if (request === undefined) return;
    requests.push(request);
    changed();
    const behaviour = behaviours[Math.min(requests.length, behaviours.length) - 1] ?? status(500);
    await behaviour(response, request);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      changed();
    });
  });
  const port = await listen(server);
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    get connections() {
      return sockets.size;
    },
    async request(number) {
      await until(() => requests.length >= number);
      return requests[number - 1] as SeenRequest;
    },
    idle: () => until(() => sockets.size === 0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const eventStream = { "content-type": "text/event-stream; charset=utf-8" };

/** A stream of events, whole and cleanly ended. */
export function events(text: string | Buffer): Behaviour {
  return (response) => void response.writeHead(200, eventStream).end(text);
}

/** A stream in these pieces, each its own write. */
export function pieces(...parts: readonly (string | Buffer)[]): Behaviour {
  return async (response) => {
    response.writeHead(200, eventStream);
    for (const part of parts) await write(response, part);
    response.end();
  };
}

/** Bytes, then the end of the answer as if it were whole. */
export function cleanCut(text: string | Buffer): Behaviour {
  return events(text);
}

/** Bytes, then the connection is torn down. Without bytes: before any answer. */
export function destroyed(text?: string | Buffer): Behaviour {
  return async (response) => {
    if (text !== undefined) {
      response.writeHead(200, eventStream);
      await write(response, text);
    }
    response.destroy();
  };
}

/** Bytes, then silence until the client goes. Without bytes: not even headers. */
export function stalled(text?: string | Buffer): Behaviour {
  return (response) => {
    if (text === undefined) return;
    response.writeHead(200, eventStream);
    response.flushHeaders();
    if (text.length > 0) response.write(text);
  };
}

/** Bytes, then the same bytes again and again, without content of their own, until the client goes. */
export function trickle(start: string, again = ": keep-alive\n\n", everyMs = 5): Behaviour {
  return (response) => {
    response.writeHead(200, eventStream);
    response.write(start === "" ? ":\n" : start);
    const timer = setInterval(() => response.write(again), everyMs);
    response.once("close", () => clearInterval(timer));
  };
}

/** A status with a body (JSON if it is an object) and headers. */
export function status(
  code: number,
  body: object | string = "",
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  const type = typeof body === "string" ? "text/plain" : "application/json";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (response) => void response.writeHead(code, { "content-type": type, ...headers }).end(text);
}

/** An event of that many bytes, sent as long as the client takes it. */
export function hugeEvent(bytes: number): Behaviour {
  return async (response) => {
    response.writeHead(200, eventStream);
    const block = Buffer.alloc(1024 * 1024, "x");
    await write(response, 'data: {"x":"');
    for (let sent = 0; sent < bytes && !response.destroyed; sent += block.length) await write(response, block);
    response.end('"}\n\n');
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of incoming) parts.push(part as Buffer);
  } catch {
    // The client left before it had asked.
    return undefined;
  }
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const { method = "", url = "" } = incoming;
  return { method, path: url, headers, body: Buffer.concat(parts), port: incoming.socket.remotePort ?? 0 };
}

function write(response: ServerResponse, part: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    response.once("close", resolve);
    response.write(part, () => {
      response.off("close", resolve);
      setImmediate(resolve);
    });
  });
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
