// The file tools on every environment: what they promise must not depend on where the files are.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import type { Environment } from "../../environment/environment.ts";
import { createLocalEnvironment } from "../../environment/local.ts";
import { createMemoryEnvironment } from "../../environment/memory.ts";
import { executeCall } from "../../tools/execute.ts";
import { createToolset } from "../../tools/toolset.ts";
import { fsEdit } from "./edit.ts";
import { fsRead } from "./read.ts";
import { fsWrite } from "./write.ts";

interface Place extends AsyncDisposable {
  readonly environment: Environment;
  bytes(): Buffer;
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function localPlace(content: Uint8Array): Place {
  const workspace = mkdtempSync(join(tmpdir(), "bub-files-"));
  folders.push(workspace);
  const file = join(workspace, "a.txt");
  writeFileSync(file, content);
  const environment = createLocalEnvironment({ workspace, home: join(workspace, ".bub") });
  return {
    environment,
    bytes: () => readFileSync(file),
    [Symbol.asyncDispose]: () => environment[Symbol.asyncDispose](),
  };
}

function memoryPlace(content: Uint8Array): Place {
  const environment = createMemoryEnvironment({ files: { "a.txt": content } });
  const bytes = () => Buffer.from(environment.files.get("/workspace/a.txt") ?? []);
  return { environment, bytes, [Symbol.asyncDispose]: async () => undefined };
}

const toolset = createToolset([fsRead, fsWrite, fsEdit].map((tool) => ({ tool, plugin: "files" })));

function call(environment: Environment, name: string, args: object) {
  const { signal } = new AbortController();
  const context = {
    environment,
    toolset,
    signal,
    origin: "model",
    clock: { now: () => new Date() },
    log: silentLogger,
  } as const;
  return executeCall({ id: "c", name, arguments: { path: "a.txt", ...args } }, { ...context, turn: {} as never });
}

const bom = Buffer.from([0xef, 0xbb, 0xbf]);

describe.each([
  ["local", localPlace],
  ["memory", memoryPlace],
] as const)("%s", (_, place) => {
  test("T3.5 an edit keeps byte order mark, CRLF, odd line ends and a missing final newline byte for byte", async () => {
    const head = Buffer.concat([bom, Buffer.from("one\r\ntwo\u2028\f \r\n")]);
    await using at = place(Buffer.concat([head, Buffer.from("old\r\ntext  \r\nlast")]));
    const outcome = await call(at.environment, "fs_edit", { old: "old\ntext", new: "new\n$&" });
    expect(outcome.value).toEqual({ path: at.environment.resolvePath("a.txt"), replacements: 1 });
    expect(at.bytes()).toEqual(Buffer.concat([head, Buffer.from("new\r\n$&  \r\nlast")]));
  });

  test("T3.1 a byte order mark is hidden, and no part of what an edit looks for", async () => {
    await using at = place(Buffer.concat([bom, Buffer.from("one\ntwo\n")]));
    expect((await call(at.environment, "fs_read", {})).text).toBe("one\ntwo\n");
    expect((await call(at.environment, "fs_read", { limit: 1 })).text).toBe("one\n");
    await call(at.environment, "fs_edit", { old: "one\n", new: "" });
    expect(at.bytes()).toEqual(Buffer.concat([bom, Buffer.from("two\n")]));
  });

  test("T3.3 an edit of what is no UTF-8 is refused with the byte, and writes nothing", async () => {
    const latin = Buffer.from("caf\xe9\ntwo\n", "latin1");
    await using at = place(latin);
    const outcome = await call(at.environment, "fs_edit", { old: "two", new: "2" });
    expect(outcome.error?.message).toMatch(/a\.txt' is not UTF-8 text: .* offset 3/);
    expect(at.bytes()).toEqual(latin);
  });

  test("T3.5 an edit without a match writes nothing", async () => {
    await using at = place(Buffer.from("one\n"));
    const outcome = await call(at.environment, "fs_edit", { old: "two", new: "2" });
    expect(outcome.error?.message).toBe(`'two' not found in ${at.environment.resolvePath("a.txt")} from line 0`);
    expect(at.bytes().toString()).toBe("one\n");
  });

  test("T3.6 edits of one file in one step all take place", async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `<${index}>`);
    await using at = place(Buffer.from(lines.join("\n")));
    await Promise.all(lines.map((line, index) => call(at.environment, "fs_edit", { old: line, new: `[${index}]` })));
    expect(at.bytes().toString()).toBe(lines.map((_, index) => `[${index}]`).join("\n"));
  });

  test("T3.4 fs.write replaces the whole file and says where", async () => {
    await using at = place(Buffer.from("something long"));
    const path = at.environment.resolvePath("a.txt");
    expect((await call(at.environment, "fs_write", { content: "short" })).text).toBe(`wrote: ${path}`);
    expect(at.bytes().toString()).toBe("short");
  });

  test("T3.5 bytes outside the match never change", async () => {
    const pieces = fc.constantFrom("\r\n", "\n", "\r", "é", "😀", "\u2028", "\ufeff", "x", " \t");
    const texts = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(""));
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.boolean(), async (before, after, marked) => {
        const mark = marked ? bom : Buffer.alloc(0);
        const file = (middle: string) => Buffer.concat([mark, Buffer.from(`#${before}${middle}${after}`)]);
        await using at = place(file("OLD"));
        await call(at.environment, "fs_edit", { old: "OLD", new: "NEW" });
        expect(at.bytes()).toEqual(file("NEW"));
      }),
      { numRuns: 50 },
    );
  });

  test("T3.5 editing one line of 20 MB answers with a few words, not with the file", async () => {
    const line = `${"0123456789".repeat(10)}\n`;
    await using at = place(Buffer.from(`${line.repeat(200_000)}last`));
    const outcome = await call(at.environment, "fs_edit", { old: "last", new: "end" });
    expect(JSON.stringify(outcome).length).toBeLessThan(1_000);
    expect(at.bytes().subarray(-4).toString()).toBe("\nend");
  });
});
