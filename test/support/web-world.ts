// Servers of tests of web.fetch, and a fetch as a model would make it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { silentLogger } from "../../src/base/log.ts";
import { webFetch } from "../../src/plugins/web/fetch.ts";
import { executeCall } from "../../src/tools/execute.ts";
import { createToolset } from "../../src/tools/toolset.ts";

export type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

export interface TestServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  /** Sooner than at the end of the test. */
  close(): Promise<void>;
}

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map(close)));

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Closed when the test ends. */
export async function serve(answer: Answer): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    requests.push(request);
    await answer(response, request);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async idle() {
      await Promise.all([...sockets].map((socket) => socket.destroyed || closeOf(socket)));
    },
    close: () => close(server),
  };
}

/** An answer that is whole. */
export const page =
  (body: string | Uint8Array, type?: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);

/** Unlike `once` of node:events it does not mind that the client tore the connection down. */
export const closeOf = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

/** Sends the block again and again until the client is gone; answers how many bytes. */
export async function flood(response: ServerResponse, block: string): Promise<number> {
  let sent = 0;
  const closed = new Promise((resolve) => response.once("close", resolve));
  while (!response.destroyed) {
    sent += block.length;
    if (!response.write(block)) await Promise.race([closed, new Promise((resolve) => response.once("drain", resolve))]);
  }
  return sent;
}

/** An answer that leads elsewhere. */
export const redirect =
  (location: string, status = 302): Answer =>
  (response) =>
    response.writeHead(status, { location }).end();

/** Calls the tool as a run does. */
export async function get(args: JsonObject, signal = new AbortController().signal) {
  const context = {
    turn: {} as never,
    environment: {} as never,
    toolset: createToolset([{ tool: webFetch, plugin: "web" }]),
    origin: "model",
    signal,
    clock: { now: () => new Date(0) },
    log: silentLogger,
  } as const;
  return executeCall({ id: "call_1", name: "web_fetch", arguments: args }, context);
}
