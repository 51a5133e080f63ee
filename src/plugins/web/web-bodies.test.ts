// What comes back: text, what is no text, statuses, and bodies that are too long or broken.
import { brotliCompressSync, createGzip, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { flood, get, page, serve } from "../../../test/support/web-world.ts";

const limit = 20 * 1024 * 1024;

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

test("T4.3 a port of another service is not asked, and trying again is of no use", async () => {
  expect((await get({ url: "http://127.0.0.1:22/" })).text).toBe(
    "[invalid_input] port 22 of http://127.0.0.1:22/ is another service's: it is not asked",
  );
});

test("T4.2 a server that cannot be reached is one sentence with its address", async () => {
  const server = await serve(page("gone"));
  await server.close();
  expect((await get({ url: `${server.url}/x` })).text).toMatch(
    new RegExp(`^\\[temporary\\] ${server.url}/x refuses connections`),
  );
});
