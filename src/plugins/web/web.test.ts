import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { brotliCompressSync, createGzip, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { CancelledError } from "../../base/abort.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLogger } from "../../base/log.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { executeCall } from "../../tools/execute.ts";
import { createToolset } from "../../tools/toolset.ts";
import { webFetch } from "./fetch.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

interface TestServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(answer: Answer): Promise<TestServer> {
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
  };
}

const page =
  (body: string | Uint8Array, type?: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);

/** Unlike `once` of node:events it does not mind that the client tore the connection down. */
const closeOf = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

/** Sends the block again and again until the client is gone; answers how many bytes. */
async function flood(response: ServerResponse, block: string): Promise<number> {
  let sent = 0;
  const closed = new Promise((resolve) => response.once("close", resolve));
  while (!response.destroyed) {
    sent += block.length;
    if (!response.write(block)) await Promise.race([closed, new Promise((resolve) => response.once("drain", resolve))]);
  }
  return sent;
}

const redirect =
  (location: string, status = 302): Answer =>
  (response) =>
    response.writeHead(status, { location }).end();

async function get(args: JsonObject, signal = new AbortController().signal) {
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

test("T0.3 web.fetch is auto and not deferred", () => {
  expect(webFetch).toMatchObject({ name: "web.fetch", alias: "web_fetch", exposure: "auto", deferred: false });
});

test("T4.1 a GET with Accept: text/markdown; T0.10 the value has url, status, content_type and body", async () => {
  const server = await serve(page("# Hello", "Text/Markdown; charset=utf-8"));
  const { value, text, isError } = await get({ url: `${server.url}/a?b=c` });
  expect(isError).toBe(false);
  expect(value).toEqual({ url: `${server.url}/a?b=c`, status: 200, content_type: "text/markdown", body: "# Hello" });
  expect(text).toBe(`url: ${server.url}/a?b=c\nstatus: 200\ncontent_type: text/markdown\n\n# Hello`);
  expect(server.requests[0]).toMatchObject({ method: "GET", url: "/a?b=c", headers: { accept: "text/markdown" } });
});

test("T4.1 headers override Accept in any case and are sent", async () => {
  const server = await serve(page("{}", "application/json"));
  await get({ url: server.url, headers: { ACCEPT: "application/json", "X-Mark": "1" } });
  expect(server.requests[0]?.headers).toMatchObject({ accept: "application/json", "x-mark": "1" });
});

test("T4.1 a header that cannot be sent is named, and nothing is asked", async () => {
  const server = await serve(page("never"));
  const { text } = await get({ url: server.url, headers: { "bad name": "1" } });
  expect(text).toMatch(/^\[invalid_input\] the header 'bad name' cannot be sent/);
  expect(server.requests).toEqual([]);
});

test.each([301, 302, 303, 307, 308])("T4.1 follows a %i, with a relative address, to the final url", async (status) => {
  const server = await serve((response, request) =>
    request.url === "/a/start"
      ? redirect("../b/end?x=1", status)(response, request)
      : page("here", "text/plain")(response, request),
  );
  expect((await get({ url: `${server.url}/a/start` })).value).toMatchObject({
    url: `${server.url}/b/end?x=1`,
    body: "here",
  });
  expect(server.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("T4.1 ten redirects are followed, the eleventh is an error; so a loop ends", async () => {
  const countdown: Answer = (response, request) => {
    const left = Number(request.url?.slice(1));
    return left === 0 ? page("end", "text/plain")(response, request) : redirect(`/${left - 1}`)(response, request);
  };
  const server = await serve(countdown);
  expect((await get({ url: `${server.url}/10` })).value).toMatchObject({ body: "end" });
  expect((await get({ url: `${server.url}/11` })).text).toBe(
    `[tool] ${server.url}/11 was redirected more than 10 times, last to /0`,
  );
  const loop = await serve(redirect("/"));
  expect((await get({ url: loop.url })).isError).toBe(true);
  expect(loop.requests).toHaveLength(11);
});

test("T4.1 timeout is total: silence before the headers, a body that trickles for ever, redirects that stall", async () => {
  const silent = await serve(() => undefined);
  const trickling = await serve((response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const timer = setInterval(() => response.write("."), 5);
    response.once("close", () => clearInterval(timer));
  });
  const later = await serve((response, request) => setTimeout(() => redirect("/")(response, request), 30));
  for (const server of [silent, trickling, later]) {
    const { text, isError } = await get({ url: server.url, timeout: 0.15 });
    expect(isError).toBe(true);
    expect(text).toBe(`[temporary] GET ${server.url}/ did not finish within 0.15 seconds`);
    await server.idle();
  }
});

test("T4.1 cancelling ends it and closes the connection", async () => {
  const cancel = new AbortController();
  const server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/plain" }).write("start");
    setTimeout(() => cancel.abort(new CancelledError()), 10);
  });
  expect(await get({ url: server.url }, cancel.signal)).toMatchObject({ status: "cancelled" });
  await server.idle();
});

test("T4.1 timeout must be above 0, and may be longer than a timer holds", async () => {
  const server = await serve(page("ok", "text/plain"));
  expect((await get({ url: server.url, timeout: 0 })).text).toMatch(/^\[invalid_input\]/);
  expect((await get({ url: server.url, timeout: 1e12 })).value).toMatchObject({ body: "ok" });
});

test.each<[string, Uint8Array, string, string]>([
  ["the header's charset", Buffer.from([0x63, 0xe9]), "text/plain; charset=ISO-8859-1", "cé"],
  ["a quoted charset", Buffer.from([0x8a, 0xbf]), 'text/plain; charset="Shift_JIS"', "漢"],
  ["UTF-8 without a charset", Buffer.from("café☕"), "text/plain", "café☕"],
  ["a charset that nobody knows as UTF-8", Buffer.from("é"), "text/plain; charset=klingon", "é"],
  ["what the charset cannot say as U+FFFD", Buffer.from([0x61, 0xff]), "text/plain; charset=utf-8", "a\uFFFD"],
  ["a byte order mark above the header", Buffer.from([0xff, 0xfe, 0x61, 0x00]), "text/plain; charset=latin1", "a"],
  ["UTF-16 by its header", Buffer.from([0x00, 0x61]), "text/plain; charset=utf-16be", "a"],
  ["UTF-8 with a mark, which is left out", Buffer.from("\uFEFFa"), "text/plain", "a"],
  [
    "the charset that HTML names in its head",
    Buffer.from('<meta charset="windows-1252">\xe9', "latin1"),
    "text/html",
    '<meta charset="windows-1252">é',
  ],
  [
    "the encoding that XML names",
    Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>', "latin1"),
    "application/xml",
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>',
  ],
])("T4.2 decodes %s", async (_title, bytes, type, body) => {
  const server = await serve(page(bytes, type));
  expect((await get({ url: server.url })).value).toMatchObject({ body });
});

test("T4.2 HTML comes as it is, never converted", async () => {
  const html = "<!doctype html><script>1 < 2</script><p>Hi&amp;bye</p>\r\n";
  const server = await serve(page(html, "text/html"));
  expect((await get({ url: server.url })).value).toMatchObject({ content_type: "text/html", body: html });
});

test.each(["gzip", "br"])("T4.2 a body compressed with %s is decompressed", async (encoding) => {
  const compress = encoding === "gzip" ? gzipSync : brotliCompressSync;
  const server = await serve((response) =>
    response
      .writeHead(200, { "content-type": "text/plain", "content-encoding": encoding })
      .end(compress("plain words")),
  );
  expect((await get({ url: server.url })).value).toMatchObject({ body: "plain words" });
});

test.each<[string, Uint8Array, string | undefined, string]>([
  ["an image", Buffer.alloc(12_345, 7), "image/png", "image/png, 12345 bytes"],
  ["an archive", Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]), "application/zip", "application/zip, 6 bytes"],
  ["bytes that call themselves text", Buffer.from([0x61, 0, 0x62]), "text/plain", "text/plain, 3 bytes"],
  ["bytes of no type", Buffer.from([0xff, 0xd8, 0xff]), undefined, "of no named type, 3 bytes"],
])("T4.2 binary content is an error with type and size: %s", async (_title, bytes, type, said) => {
  const server = await serve(page(bytes, type));
  expect((await get({ url: server.url })).text).toBe(`[tool] ${server.url}/ is binary content: ${said}`);
});

test.each([undefined, "application/octet-stream", "application/toml", "image/svg+xml"])(
  "T4.2 text under the type %s is text",
  async (type) => {
    const server = await serve(page("name = 'é'", type));
    expect((await get({ url: server.url })).value).toMatchObject({ content_type: type ?? "", body: "name = 'é'" });
  },
);

test("T4.2 a film that never ends is refused by its head", async () => {
  const server = await serve((response) => {
    response.writeHead(200, { "content-type": "video/mp4", "content-length": 9_000_000_000 }).write("x");
  });
  expect((await get({ url: server.url })).text).toMatch(/binary content: video\/mp4, 9000000000 bytes$/);
  await server.idle();
});

test("T4.2 a status outside 200–299 is a tool error with status, url and the start of the body", async () => {
  const server = await serve(page(`no such page ${"x".repeat(5000)}`, "text/plain", 404));
  const { text, error, isError } = await get({ url: `${server.url}/gone` });
  expect(isError).toBe(true);
  expect(error).toMatchObject({ kind: "tool", details: { status: 404, url: `${server.url}/gone` } });
  expect(text).toContain(`[tool] GET ${server.url}/gone was answered with status 404 Not Found`);
  expect(text).toContain("output: no such page xxx");
  expect(text.length).toBeLessThan(2500);
});

test("T4.2 the start of an error's body ends with a whole character", async () => {
  const server = await serve(page(`a${"😀".repeat(2000)}`, "text/plain", 404));
  const { text } = await get({ url: server.url });
  expect(text).toMatch(/output: a(😀)+$/u);
});

test.each([500, 304, 300])("T4.2 status %i without a place to go is an error too", async (status) => {
  const server = await serve(page("", undefined, status));
  expect((await get({ url: server.url })).error).toMatchObject({ details: { status } });
});

test("T4.2 an endless error page is read only at its start", async () => {
  const server = await serve(async (response) => {
    response.writeHead(503, { "content-type": "text/plain" });
    await flood(response, "busy ".repeat(1000));
  });
  expect((await get({ url: server.url })).text).toContain("output: busy busy");
  await server.idle();
});

test("T4.2 204 has an empty body", async () => {
  const server = await serve((response) => response.writeHead(204).end());
  expect((await get({ url: server.url })).value).toMatchObject({ status: 204, content_type: "", body: "" });
});

const limit = 20 * 1024 * 1024;

test("T4.2 20 MiB are taken, one byte more stops the download with an error", async () => {
  const server = await serve((response, request) => {
    const body = Buffer.alloc(limit + Number(request.url?.slice(1)), "a");
    response.writeHead(200, { "content-type": "text/plain", "content-length": body.length }).end(body);
  });
  const whole = await get({ url: `${server.url}/0` });
  expect((whole.value as { body: string }).body.length).toBe(limit);
  expect((await get({ url: `${server.url}/1` })).text).toBe(
    `[tool] the body of ${server.url}/1 is too large: ${limit + 1} bytes, more than the limit of ${limit} bytes`,
  );
});

test("T4.2 an endless body stops, and the connection with it", async () => {
  let sent = 0;
  const server = await serve(async (response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    sent = await flood(response, "a".repeat(1024 * 1024));
  });
  expect((await get({ url: server.url, timeout: 30 })).text).toMatch(/too large: more than the limit/);
  await server.idle();
  expect(sent).toBeLessThan(3 * limit);
});

test("T4.2 a gzip bomb stops at the limit, after a small part of it", async () => {
  const server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
    const bomb = createGzip();
    bomb.pipe(response);
    const zeros = Buffer.alloc(4 * 1024 * 1024, "0");
    const feed = () => {
      while (!response.destroyed && bomb.write(zeros));
    };
    bomb.on("drain", feed);
    feed();
    response.once("close", () => bomb.destroy());
  });
  const before = process.memoryUsage().rss;
  const { text } = await get({ url: server.url, timeout: 30 });
  expect(text).toMatch(/too large: more than the limit of 20971520 bytes$/);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  await server.idle();
});

test("T4.2 a body that breaks off, or is no gzip, is an error that says so", async () => {
  const broken = await serve((response) => {
    response
      .writeHead(200, { "content-type": "text/plain", "content-length": 100 })
      .write("half", () => response.destroy());
  });
  expect((await get({ url: broken.url })).text).toMatch(/^\[temporary\] the body of .* broke off after \d+ bytes: /);
  const garbage = await serve((response) =>
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end("not gzip"),
  );
  expect((await get({ url: garbage.url })).text).toMatch(/^\[temporary\] the body of .* broke off/);
});

test("T4.2 a server that cannot be reached is one sentence with its address", async () => {
  const server = await serve(page("gone"));
  servers.splice(0).forEach((closed) => void closed.close());
  expect((await get({ url: `${server.url}/x` })).text).toMatch(
    new RegExp(`^\\[temporary\\] ${server.url}/x refuses connections`),
  );
});

test.each(["file:///etc/passwd", "ftp://example.com/x", "data:text/plain,hi", "javascript:1"])(
  "T4.3 only http: and https: — not %s",
  async (url) => {
    expect((await get({ url })).text).toMatch(
      /^\[invalid_input\] \w+: addresses cannot be fetched, only http: and https:/,
    );
  },
);

test("T4.3 what is no URL is said to be none", async () => {
  expect((await get({ url: "example.com/page" })).text).toMatch(/^\[invalid_input\] 'example.com\/page' is not a URL/);
});

test.each(["file:///etc/passwd", "data:text/plain,hi", "http://[bad"])(
  "T4.3 a redirect to %s is not followed",
  async (target) => {
    const server = await serve(redirect(target));
    const { text } = await get({ url: server.url });
    expect(text).toMatch(new RegExp(`^\\[tool\\] ${server.url}/ redirects to a place that is not followed: `));
    expect(text).not.toContain("root:");
  },
);

test("T4.3 credentials in headers are not forwarded to another origin, nor back again; they stay within one", async () => {
  const foreign = await serve((response, request) => redirect(`${own.url}/back`)(response, request));
  const own: TestServer = await serve((response, request) => {
    if (request.url === "/start") return redirect("/same")(response, request);
    if (request.url === "/same") return redirect(`${foreign.url}/other`)(response, request);
    return page("end", "text/plain")(response, request);
  });
  const headers = { authorization: "Bearer secret", cookie: "a=b", "x-api-key": "secret", "accept-language": "de" };
  expect((await get({ url: `${own.url}/start`, headers })).isError).toBe(false);
  const [start, same, back] = own.requests.map((request) => request.headers);
  expect(start).toMatchObject(headers);
  expect(same).toMatchObject(headers);
  for (const seen of [foreign.requests[0]?.headers, back]) {
    expect(seen).toMatchObject({ accept: "text/markdown", "accept-language": "de" });
    expect(Object.keys(seen ?? {})).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(JSON.stringify(seen)).not.toMatch(/secret|a=b/);
  }
});

test("T4.3 credentials in the address are sent as a header, and shown nowhere", async () => {
  const server = await serve(page("in", "text/plain"));
  const { value, text } = await get({ url: server.url.replace("//", "//me:s%40cret@") });
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:s@cret").toString("base64")}`);
  expect(value).toMatchObject({ url: `${server.url}/` });
  expect(text).not.toContain("cret");
});

test("T4.1 works as a model's tool and as a text command", async () => {
  const server = await serve(page("hello there", "text/plain"));
  const model = scriptedModel([callTool("web_fetch", { url: server.url }), say("read")]);
  await using runtime = await testRuntime({ model });
  const { toolResults } = await runtime.send("look");
  expect(toolResults[0]?.text).toContain("hello there");
  expect((await runtime.send(`,web.fetch ${server.url} timeout=5`)).text).toContain("hello there");
});
