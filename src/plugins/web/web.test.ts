// What is asked, how often and of whom: methods, headers, redirects, time, addresses.
import { expect, test } from "vitest";
import { type Answer, get, page, redirect, serve, type TestServer } from "../../../test/support/web-world.ts";
import { CancelledError } from "../../base/abort.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { webFetch } from "./fetch.ts";

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
