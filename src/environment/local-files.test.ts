import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { LocalFiles } from "./local-files.ts";

const root = mkdtempSync(join(tmpdir(), "bub-files-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let workspace: string;
let files: LocalFiles;
beforeEach(() => {
  workspace = mkdtempSync(join(root, "work-"));
  files = new LocalFiles({ workspace });
});
const at = (name: string) => join(workspace, name);
const isRoot = process.getuid?.() === 0;

describe("T3.1 whole texts and slices", () => {
  test("T3.1 a whole text above 256 MiB is an error naming offset and limit, a slice of it is not", async () => {
    writeFileSync(at("huge"), "first\nsecond\n");
    truncateSync(at("huge"), 256 * 1024 * 1024 + 1);
    await expect(files.readText("huge")).rejects.toMatchObject({
      kind: "invalid_input",
      message: `'${at("huge")}' is larger than 256 MiB: read a part of it with offset and limit`,
    });
    await expect(files.editText("huge", (text) => text)).rejects.toThrow("offset and limit");
    expect(await files.readLines("huge", { offset: 1, limit: 1 })).toBe("second\n");
  });

  test("T3.1 files that say they are empty are read to their end", async () => {
    expect(await files.readText("/proc/self/status")).toMatch(/^Name:/);
    expect(await files.readLines("/proc/self/status", { offset: 0, limit: 1 })).toMatch(/^Name:.*\n$/);
  });

  test("T3.1 lines in any cut of the stream are those of the whole text", async () => {
    const { LineSlicer } = await import("./text-lines.ts");
    const text = fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r", "\r\n", "\u2028", "\f") });
    fc.assert(
      fc.property(
        text,
        fc.nat(8),
        fc.option(fc.nat(5), { nil: undefined }),
        fc.integer({ min: 1, max: 5 }),
        (whole, offset, limit, size) => {
          const slicer = new LineSlicer({ offset, limit });
          const bytes = Buffer.from(whole);
          for (let start = 0; start < bytes.length; start += size)
            if (!slicer.push(bytes.subarray(start, start + size))) break;
          const lines = whole.match(/[^\n\r]*(\r\n|\n|\r)|[^\n\r]+$/g) ?? [];
          expect(slicer.text("file")).toBe(
            lines.slice(offset, limit === undefined ? undefined : offset + limit).join(""),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("T3.3 what cannot be read", () => {
  test("T3.3 not UTF-8: the byte offset is named, for edits too, and nothing is written", async () => {
    const bytes = Buffer.concat([Buffer.from("caf"), Buffer.from([0xe9]), Buffer.from("\nline two\n")]);
    writeFileSync(at("latin1"), bytes);
    const message = `'${at("latin1")}' is not UTF-8 text: invalid byte at offset 3`;
    await expect(files.readText("latin1")).rejects.toMatchObject({ kind: "invalid_input", message });
    await expect(files.readLines("latin1", { offset: 0, limit: 1 })).rejects.toThrow(message);
    await expect(files.editText("latin1", (text) => text.replace("two", "2"))).rejects.toThrow(message);
    expect(readFileSync(at("latin1")).equals(bytes)).toBe(true);
    expect(readdirSync(workspace)).toEqual(["latin1"]);
    const inLineThree = Buffer.concat([Buffer.from("é\nok\n"), Buffer.from([0x61, 0xc3, 0x28])]);
    writeFileSync(at("later"), inLineThree);
    expect(await files.readLines("later", { offset: 1, limit: 1 })).toBe("ok\n");
    await expect(files.readLines("later", { offset: 2 })).rejects.toThrow("invalid byte at offset 7");
  });

  test("T3.1 a FIFO, a device and a socket are no regular files, and nothing waits for them", async () => {
    execFileSync("mkfifo", [at("fifo")]);
    const server = createServer().listen(at("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    for (const path of [at("fifo"), "/dev/zero", at("socket")]) {
      const message = `'${path}' is not a regular file`;
      await expect(files.readText(path)).rejects.toThrow(message);
      await expect(files.readLines(path, { offset: 0 })).rejects.toThrow(message);
      await expect(files.editText(path, (text) => text)).rejects.toThrow(message);
    }
    server.close();
  });

  test("T3.3 every error names the path", async () => {
    symlinkSync("loop", at("loop"));
    await expect(files.readText("loop")).rejects.toThrow(`cannot read '${at("loop")}': its links lead in a circle`);
    await expect(files.writeText("loop", "x")).rejects.toThrow(`cannot write '${at("loop")}'`);
    const long = "n".repeat(300);
    await expect(files.writeText(long, "x")).rejects.toThrow(`cannot write '${at(long)}': the name is too long`);
  });
});

describe("T3.4 writing", () => {
  test("T3.4 replaces the file at once: readers see the old or the new text", async () => {
    const old = "old ".repeat(200_000);
    const fresh = "new ".repeat(200_000);
    writeFileSync(at("file"), old);
    const before = statSync(at("file")).ino;
    let isDone = false;
    const writing = files.writeText("file", fresh).then(() => {
      isDone = true;
    });
    while (!isDone) {
      const seen = readFileSync(at("file"), "utf8");
      expect(seen === old || seen === fresh).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
    expect(statSync(at("file")).ino).not.toBe(before);
    expect(readdirSync(workspace)).toEqual(["file"]);
  });

  test("T3.4 keeps the mode; a new file gets the usual one", async () => {
    writeFileSync(at("script"), "#!/bin/sh\n");
    chmodSync(at("script"), 0o4751);
    await files.writeText("script", "#!/bin/sh\necho\n");
    expect(statSync(at("script")).mode & 0o7777).toBe(0o4751);
    await files.writeText("fresh/file", "x");
    expect(statSync(at("fresh/file")).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test("T3.4 follows links to their target, also one that leads to nothing yet", async () => {
    mkdirSync(at("real"));
    writeFileSync(at("real/target"), "old");
    symlinkSync("real/target", at("link"));
    symlinkSync("../real/fresh", join(at("real"), "second"));
    symlinkSync("real/second", at("dangling"));
    expect(await files.writeText("link", "new")).toBe(at("link"));
    await files.writeText("dangling", "made");
    expect(readFileSync(at("real/target"), "utf8")).toBe("new");
    expect(readFileSync(at("real/fresh"), "utf8")).toBe("made");
    expect(lstatSync(at("link")).isSymbolicLink() && lstatSync(at("dangling")).isSymbolicLink()).toBe(true);
  });

  test("T3.4 hard links stay together: written in place, shorter texts too", async () => {
    writeFileSync(at("one"), "a long old text");
    linkSync(at("one"), at("other"));
    await files.writeText("one", "new");
    expect(readFileSync(at("other"), "utf8")).toBe("new");
    expect(statSync(at("one")).ino).toBe(statSync(at("other")).ino);
  });

  test.skipIf(!isRoot)("T3.4 owner and group stay: written in place (needs root)", async () => {
    writeFileSync(at("theirs"), "old");
    chownSync(at("theirs"), 12_345, 23_456);
    const before = statSync(at("theirs")).ino;
    await files.writeText("theirs", "new");
    const after = statSync(at("theirs"));
    expect([after.uid, after.gid, after.ino]).toEqual([12_345, 23_456, before]);
    expect(readdirSync(workspace)).toEqual(["theirs"]);
  });

  test("T3.4 devices are written in place; FIFOs, sockets and directories are an error", async () => {
    expect(await files.writeText("/dev/null", "gone")).toBe("/dev/null");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    await expect(files.writeText("/dev/full", "x")).rejects.toThrow(
      "cannot write '/dev/full': no space left on the disk",
    );
    execFileSync("mkfifo", [at("fifo")]);
    await expect(files.writeText("fifo", "x")).rejects.toThrow(`'${at("fifo")}' is a FIFO: nothing was written`);
    const server = createServer().listen(at("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    await expect(files.writeText("socket", "x")).rejects.toThrow(`'${at("socket")}' is a socket`);
    server.close();
    mkdirSync(at("folder"));
    await expect(files.writeText("folder", "x")).rejects.toThrow(`'${at("folder")}' is a directory`);
  });

  test("T3.4 cancelled before the rename: the old text stays and no temporary file is left", async () => {
    writeFileSync(at("file"), "old");
    const cancel = new AbortController();
    const writing = files.writeText("file", "new ".repeat(1_000_000), { signal: cancel.signal });
    setImmediate(() => cancel.abort(new Error("stop")));
    await expect(writing).rejects.toThrow("stop");
    expect(readFileSync(at("file"), "utf8")).toBe("old");
    expect(readdirSync(workspace)).toEqual(["file"]);
  });
});

describe("T3.5 editing", () => {
  test("T3.5 every byte outside of the change stays, for any text", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "é☕", "\n", "\r\n", "\r", "\u2028", "\f", " ", "\t", "\uFEFF"),
    });
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        writeFileSync(at("file"), `${before}MARK${after}`);
        chmodSync(at("file"), 0o640);
        await files.editText("file", (whole) => whole.replace("MARK", () => "$&é"));
        expect(readFileSync(at("file"), "utf8")).toBe(`${before}$&é${after}`);
        expect(statSync(at("file")).mode & 0o777).toBe(0o640);
      }),
      { numRuns: 60 },
    );
  });
});

describe("T3.6 one file, many writers", () => {
  test("T3.6 writes by other names of the file take their turn too, over all environments", async () => {
    writeFileSync(at("file"), "");
    symlinkSync("file", at("link"));
    symlinkSync(workspace, join(root, `alias-${workspace.slice(-6)}`));
    const other = new LocalFiles({ workspace: join(root, `alias-${workspace.slice(-6)}`) });
    const names: [LocalFiles, string][] = [
      [files, "file"],
      [files, "link"],
      [other, "file"],
      [other, "link"],
    ];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const [place, name] = names[index % names.length] as [LocalFiles, string];
        return place.editText(name, (text) => `${text}${index},`);
      }),
    );
    expect(readFileSync(at("file"), "utf8")).toBe(Array.from({ length: 40 }, (_, index) => `${index},`).join(""));
  });

  test("T3.6 files that do not exist yet are queued by where they will be", async () => {
    symlinkSync(workspace, at("self"));
    const done: string[] = [];
    await Promise.all([
      files.writeText("new/file", "a".repeat(2_000_000)).then(() => done.push("first")),
      files.writeText("self/new/file", "b").then(() => done.push("second")),
    ]);
    expect(done).toEqual(["first", "second"]);
    expect(readFileSync(at("new/file"), "utf8")).toBe("b");
  });

  test("T3.6 a file changed by others between read and write is read again", async () => {
    writeFileSync(at("file"), "one\n");
    let calls = 0;
    await files.editText("file", (text) => {
      if (++calls === 1) writeFileSync(at("file"), "one\ntheirs\n");
      return text.replace("one", "ours");
    });
    expect(readFileSync(at("file"), "utf8")).toBe("ours\ntheirs\n");
    expect(calls).toBe(2);
    expect(readdirSync(workspace)).toEqual(["file"]);
  });

  test("T3.6 a file that never rests is given up, unharmed", async () => {
    writeFileSync(at("file"), "0");
    let calls = 0;
    const editing = files.editText("file", () => {
      writeFileSync(at("file"), `changed ${++calls}`);
      return "ours";
    });
    await expect(editing).rejects.toMatchObject({ kind: "temporary" });
    expect(readFileSync(at("file"), "utf8")).toBe(`changed ${calls}`);
  });

  test("T3.6 a failed write does not hold up the next", async () => {
    mkdirSync(at("folder"));
    const failing = files.writeText("folder", "x");
    await expect(failing).rejects.toThrow("is a directory");
    rmSync(at("folder"), { recursive: true });
    await files.writeText("folder", "fine");
    expect(readFileSync(at("folder"), "utf8")).toBe("fine");
  });
});
