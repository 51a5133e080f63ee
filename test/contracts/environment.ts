// What every environment must do with files. Call it from a test file with how to make one.
import { describe, expect, test } from "vitest";
import type { Environment } from "../../src/environment/environment.ts";

export interface EnvironmentCase {
  readonly name: string;
  /** An environment with an empty workspace; closed by the suite. */
  create(): Promise<{ environment: Environment; dispose: () => Promise<void> }>;
  /** The same without a workspace. */
  createWithoutWorkspace(): Promise<{ environment: Environment; dispose: () => Promise<void> }>;
}

export function describeEnvironment({ name, create, createWithoutWorkspace }: EnvironmentCase): void {
  const inWorkspace = async (work: (environment: Environment) => Promise<void>, make = create) => {
    const { environment, dispose } = await make();
    try {
      await work(environment);
    } finally {
      await environment[Symbol.asyncDispose]();
      await dispose();
    }
  };

  describe(`the environment port: ${name}`, () => {
    test("T1.2 relative paths are below the workspace, ~ expands, .. may leave it", () =>
      inWorkspace(async (environment) => {
        const { workspace } = environment;
        expect(environment.resolvePath("a/./b")).toBe(`${workspace}/a/b`);
        expect(environment.resolvePath("/etc/../x")).toBe("/x");
        expect(environment.resolvePath("..")).toBe((workspace as string).replace(/\/[^/]+$/, "") || "/");
        const home = environment.resolvePath("~");
        expect(home.startsWith("/")).toBe(true);
        expect(environment.resolvePath("~/x/y")).toBe(`${home}/x/y`);
        expect(environment.resolvePath("~x")).toBe(`${workspace}/~x`);
        for (const path of ["", "a\0b"]) expect(() => environment.resolvePath(path)).toThrow(/path/);
      }));

    test("T1.2 a relative path without a workspace is refused by its own text", () =>
      inWorkspace(async (environment) => {
        expect(environment.workspace).toBeUndefined();
        const message = "relative path 'notes.txt' is not allowed without a workspace";
        expect(() => environment.resolvePath("notes.txt")).toThrow(message);
        await expect(environment.readText("notes.txt")).rejects.toThrow(message);
        await expect(environment.writeText("notes.txt", "x")).rejects.toThrow(message);
      }, createWithoutWorkspace));

    test("T1.1 text is written with its parents and read back exactly", () =>
      inWorkspace(async (environment) => {
        const text = "line\r\nwith é☕😀\u2028\f and no newline at the end";
        const path = await environment.writeText("deep/er/file.txt", text);
        expect(path).toBe(environment.resolvePath("deep/er/file.txt"));
        expect(await environment.readText("deep/er/file.txt")).toBe(text);
        expect(Buffer.from(await environment.readFile(path)).equals(Buffer.from(text))).toBe(true);
        await environment.writeText(path, "");
        expect(await environment.readText(path)).toBe("");
      }));

    test("T1.1 stat tells files from directories and from nothing", () =>
      inWorkspace(async (environment) => {
        await environment.writeText("folder/file", "12345");
        expect(await environment.stat("folder/file")).toEqual({ kind: "file", size: 5 });
        expect(await environment.stat("folder")).toMatchObject({ kind: "directory" });
        expect(await environment.stat("missing")).toBeUndefined();
        expect(await environment.stat("folder/file/below")).toBeUndefined();
      }));

    test("T3.1 a byte order mark is hidden, only \\n, \\r\\n and \\r end lines, line ends are kept", () =>
      inWorkspace(async (environment) => {
        await environment.writeText("lines", "\uFEFFone\ntwo\r\nthr\u2028ee\rfour\f\n\nsix");
        expect(await environment.readText("lines")).toBe("one\ntwo\r\nthr\u2028ee\rfour\f\n\nsix");
        const lines = (offset: number, limit?: number) => environment.readLines("lines", { offset, limit });
        expect(await lines(0, 1)).toBe("one\n");
        expect(await lines(0, 2)).toBe("one\ntwo\r\n");
        expect(await lines(2, 2)).toBe("thr\u2028ee\rfour\f\n");
        expect(await lines(4)).toBe("\nsix");
        expect(await lines(5, 10)).toBe("six");
        expect(await lines(6)).toBe("");
        expect(await lines(99, 1)).toBe("");
        expect(await lines(1, 0)).toBe("");
      }));

    test("T3.3 what is not there, a directory, and a path through a file are errors that name the path", () =>
      inWorkspace(async (environment) => {
        await environment.writeText("folder/file", "x");
        const path = (text: string) => environment.resolvePath(text);
        await expect(environment.readText("missing")).rejects.toMatchObject({
          kind: "not_found",
          message: `cannot read '${path("missing")}': it does not exist`,
        });
        for (const read of [
          environment.readText("folder"),
          environment.readFile("folder"),
          environment.readLines("folder", { offset: 0 }),
          environment.editText("folder", (text) => text),
          environment.writeText("folder", "x"),
        ]) {
          await expect(read).rejects.toThrow(`'${path("folder")}' is a directory`);
        }
        await expect(environment.writeText("folder/file/below", "x")).rejects.toThrow(path("folder/file/below"));
      }));

    test("T3.5 an edit changes what it says, and nothing when it throws", () =>
      inWorkspace(async (environment) => {
        await environment.writeText("file", "\uFEFFone\r\ntwo");
        const path = await environment.editText("file", (text) => {
          expect(text).toBe("one\r\ntwo");
          return text.replace("two", "zwei");
        });
        expect(path).toBe(environment.resolvePath("file"));
        expect(Buffer.from(await environment.readFile("file")).toString()).toBe("\uFEFFone\r\nzwei");
        const failing = environment.editText("file", () => {
          throw new Error("no match");
        });
        await expect(failing).rejects.toThrow("no match");
        expect(await environment.readText("file")).toBe("one\r\nzwei");
        await expect(environment.editText("missing", (text) => text)).rejects.toMatchObject({ kind: "not_found" });
      }));

    test("T3.6 edits and writes of one file take their turns in call order", () =>
      inWorkspace(async (environment) => {
        await environment.writeText("log", "");
        const add = (word: string) => environment.editText("log", (text) => `${text}${word} `);
        await Promise.all([add("a"), add("b"), environment.writeText("log", "new "), add("c"), add("d")]);
        expect(await environment.readText("log")).toBe("new c d ");
      }));

    test("R1.7 an aborted signal ends reading and writing with its reason, and nothing is written", () =>
      inWorkspace(async (environment) => {
        await environment.writeText("file", "before");
        const reason = new Error("cancelled");
        const signal = AbortSignal.abort(reason);
        await expect(environment.readText("file", { signal })).rejects.toBe(reason);
        await expect(environment.readLines("file", { offset: 0 }, { signal })).rejects.toBe(reason);
        await expect(environment.writeText("file", "after", { signal })).rejects.toBe(reason);
        await expect(environment.editText("file", () => "after", { signal })).rejects.toBe(reason);
        expect(await environment.readText("file")).toBe("before");
      }));

    test("T1.1 closing twice is fine, and ending shells where none ran", () =>
      inWorkspace(async (environment) => {
        await environment.endShells("cli:nobody", 100);
        await environment[Symbol.asyncDispose]();
      }));
  });
}
