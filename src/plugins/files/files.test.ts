import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { BubError } from "../../base/errors.ts";
import { silentLogger } from "../../base/log.ts";
import type { Environment } from "../../environment/environment.ts";
import { parseCommand } from "../../tools/command-line.ts";
import { type CallContext, executeCall } from "../../tools/execute.ts";
import { createToolset } from "../../tools/toolset.ts";
import { fsEdit } from "./edit.ts";
import { filesPlugin } from "./plugin.ts";
import { fsRead } from "./read.ts";
import { fsWrite } from "./write.ts";

const gif = Buffer.from(
  "R0lGODlhAwACAIIAAExpcXik0kyKygxQlp7WEAI0aAAmTgAAACH5BAUAAAAALAAAAAADAAIAAAMEaFEkkwA7",
  "base64",
);

/** Files by path, as an environment. */
function world(files: Record<string, string | Uint8Array> = {}) {
  const held = new Map(Object.entries(files).map(([path, data]) => [path, Buffer.from(data as Uint8Array)]));
  const resolvePath = (path: string) => `/w/${path}`;
  const bytesOf = (path: string) => {
    const bytes = held.get(path);
    if (bytes === undefined) throw new BubError("not_found", `no such file: ${resolvePath(path)}`);
    return bytes;
  };
  const write = (path: string, text: string) => {
    held.set(path, Buffer.from(text));
    return resolvePath(path);
  };
  const asked: unknown[] = [];
  const environment: Partial<Environment> = {
    resolvePath,
    stat: async (path) => (held.has(path) ? { kind: "file", size: bytesOf(path).length } : undefined),
    readFile: async (path) => bytesOf(path),
    readText: async (path) => {
      asked.push(["whole", path]);
      return bytesOf(path).toString();
    },
    readLines: async (path, { offset, limit }) => {
      asked.push(["lines", path, offset, limit]);
      const lines =
        bytesOf(path)
          .toString()
          .match(/[^\r\n]*(\r\n|\n|\r|$)/g) ?? [];
      return lines.slice(offset, limit === undefined ? undefined : offset + limit).join("");
    },
    writeText: async (path, text) => write(path, text),
    editText: async (path, change) => write(path, change(bytesOf(path).toString())),
  };
  const toolset = createToolset([fsRead, fsWrite, fsEdit].map((tool) => ({ tool, plugin: "files" })));
  const context: CallContext = {
    turn: {} as CallContext["turn"],
    environment: environment as Environment,
    toolset,
    origin: "model",
    signal: new AbortController().signal,
    clock: { now: () => new Date(0) },
    log: silentLogger,
  };
  const call = (name: string, args: object) => executeCall({ id: "c", name, arguments: { ...args } }, context);
  const command = async (name: string, text: string) => {
    const tool = toolset.find(name, "command")?.tool;
    if (tool === undefined) throw new Error(`no ${name}`);
    return executeCall({ id: "c", name, ...(await parseCommand(tool, text)) }, { ...context, origin: "command" });
  };
  return { call, command, held, asked, textOf: (path: string) => bytesOf(path).toString() };
}

test("T0.3 fs.read, fs.write and fs.edit are direct, and not deferred", () => {
  const tools = [fsRead, fsWrite, fsEdit];
  expect(tools.map(({ name, exposure, deferred }) => [name, exposure, deferred])).toEqual([
    ["fs.read", "direct", false],
    ["fs.write", "direct", false],
    ["fs.edit", "direct", false],
  ]);
  expect(filesPlugin.name).toBe("files");
  expect(filesPlugin.provideTools()).toEqual(tools);
});

test("T3.1 fs.read(path, offset=0, limit=None) gives the exact text of the file", async () => {
  const text = "one\r\n\ntwo\rthree\u2028four";
  const { call, asked } = world({ "a.txt": text });
  expect(await call("fs_read", { path: "a.txt" })).toMatchObject({ value: text, text, isError: false });
  expect(await call("fs_read", { path: "a.txt", offset: 0, limit: null })).toMatchObject({ text });
  expect(asked).toEqual([
    ["whole", "a.txt"],
    ["whole", "a.txt"],
  ]);
});

test("T3.1 with offset or limit it is the zero-based slice of lines, line ends kept", async () => {
  const { call, asked } = world({ "a.txt": "a\r\nb\nc\n" });
  expect((await call("fs_read", { path: "a.txt", offset: 1 })).text).toBe("b\nc\n");
  expect((await call("fs_read", { path: "a.txt", limit: 1 })).text).toBe("a\r\n");
  expect((await call("fs_read", { path: "a.txt", offset: "1", limit: "1" })).text).toBe("b\n");
  expect((await call("fs_read", { path: "a.txt", offset: 99 })).text).toBe("");
  expect(asked).toHaveLength(4);
});

test("T3.1 offset and limit are whole numbers from 0 on", async () => {
  const { call } = world({ "a.txt": "a" });
  for (const args of [{ offset: -1 }, { offset: 0.5 }, { limit: -1 }]) {
    expect((await call("fs_read", { path: "a.txt", ...args })).error?.kind).toBe("invalid_input");
  }
});

test("T3.2 an image is returned so that the model sees it, offset and limit ignored", async () => {
  const { call } = world({ "a.gif": gif });
  const part = { type: "image", media_type: "image/gif", data: gif.toString("base64"), bytes: 63, width: 3, height: 2 };
  for (const args of [{}, { offset: 5, limit: 1 }]) {
    expect(await call("fs_read", { path: "a.gif", ...args })).toMatchObject({
      value: part,
      content: [part],
      isError: false,
    });
  }
});

test("T3.2 the extensions in any case; the type is what the bytes say", async () => {
  for (const name of ["a.png", "a.JPG", "a.jpeg", "a.WebP", "dir.d/a.GIF"]) {
    const outcome = await world({ [name]: gif }).call("fs_read", { path: name });
    expect(outcome.value).toMatchObject({ type: "image", media_type: "image/gif" });
  }
  expect((await world({ "a.gif.txt": "GIF89a" }).call("fs_read", { path: "a.gif.txt" })).value).toBe("GIF89a");
});

test("T3.2 as a text command an image prints type, size and dimensions", async () => {
  const { command } = world({ "a.png": gif });
  expect((await command("fs.read", "a.png")).text).toBe("[image: image/gif, 3x2, 63 bytes]");
});

test("T3.2 an image that is cut off or none is a clear error naming the path", async () => {
  const { call } = world({ "cut.gif": gif.subarray(0, -1), "no.png": "text" });
  expect((await call("fs_read", { path: "cut.gif" })).text).toBe(
    "[invalid_input] cannot show cut.gif: the image is cut off: the GIF has no trailer",
  );
  expect((await call("fs_read", { path: "no.png" })).text).toBe(
    "[invalid_input] cannot show no.png: the image is no PNG, JPEG, GIF or WebP",
  );
});

test("T3.2 an image may have 10 485 760 bytes; a larger one is an error naming size and limit", async () => {
  const padded = (size: number) => Buffer.concat([gif, Buffer.alloc(size - gif.length)]);
  const { call } = world({ "full.gif": padded(10_485_760), "more.gif": padded(10_485_761) });
  expect((await call("fs_read", { path: "full.gif" })).value).toMatchObject({ bytes: 10_485_760 });
  expect((await call("fs_read", { path: "more.gif" })).text).toBe(
    "[invalid_input] cannot show more.gif: the image has 10485761 bytes, the limit is 10485760",
  );
});

test("T3.3 what the environment says about a path is the error", async () => {
  const { call } = world();
  for (const path of ["gone.txt", "gone.png"]) {
    expect((await call("fs_read", { path })).text).toBe(`[not_found] no such file: /w/${path}`);
  }
  expect((await call("fs_edit", { path: "gone.txt", old: "a", new: "b" })).error?.kind).toBe("not_found");
});

test("T3.4 fs.write writes the whole file and says where", async () => {
  const { call, textOf } = world({ "a.txt": "old" });
  const outcome = await call("fs_write", { path: "a.txt", content: "new\r\n" });
  expect(outcome).toMatchObject({ value: { path: "/w/a.txt" }, text: "wrote: /w/a.txt", isError: false });
  expect(textOf("a.txt")).toBe("new\r\n");
});

test("T3.5 fs.edit replaces every occurrence from line start on and tells how many", async () => {
  const { call, textOf } = world({ "a.txt": "x\nx x\nx" });
  const outcome = await call("fs_edit", { path: "a.txt", old: "x", new: "$&", start: 1 });
  expect(outcome).toMatchObject({
    value: { path: "/w/a.txt", replacements: 3 },
    text: "edited: /w/a.txt\nreplacements: 3",
  });
  expect(textOf("a.txt")).toBe("x\n$& $&\n$&");
});

test("T3.5 the byte order mark, line ends and final newline are kept", async () => {
  const { call, held } = world({ "a.txt": "\ufeffone\r\ntwo\r\nthree" });
  await call("fs_edit", { path: "a.txt", old: "one\ntwo", new: "1\n2" });
  expect(held.get("a.txt")).toEqual(Buffer.from("\ufeff1\r\n2\r\nthree"));
});

test("T3.5 an empty old is invalid_input", async () => {
  const { call, textOf } = world({ "a.txt": "x" });
  expect((await call("fs_edit", { path: "a.txt", old: "", new: "y" })).text).toBe(
    "[invalid_input] cannot edit a.txt: 'old' is empty",
  );
  expect(textOf("a.txt")).toBe("x");
});

test("T3.5 no match is an error that names the path, the line and the closest line; nothing is written", async () => {
  const { call, textOf } = world({ "a.txt": "const total = 1;\nreturn total;" });
  const missed = await call("fs_edit", { path: "a.txt", old: "const totals = 1;", new: "" });
  expect(missed.error?.message).toBe(
    "'const totals = 1;' not found in /w/a.txt from line 0\nclosest line 0: const total = 1;",
  );
  const later = await call("fs_edit", { path: "a.txt", old: "const", new: "let", start: 1 });
  expect(later.error?.message).toBe("'const' not found in /w/a.txt from line 1");
  expect(textOf("a.txt")).toBe("const total = 1;\nreturn total;");
});

test("the definitions of the file tools cost the request little", () => {
  const definitions = createToolset([fsRead, fsWrite, fsEdit].map((tool) => ({ tool, plugin: "files" }))).modelTools();
  expect(JSON.stringify(definitions).length).toBeLessThan(1_200);
});
