// The rooms and doors of docs/architecture.md: who may import whom, what a plugin folder holds, what is public.
import { describe, expect, test } from "vitest";
import { publicExports } from "./public-exports.ts";
import { listFiles, listFolders, readSource, type SourceFile } from "./support/source-files.ts";

/** A room and the rooms that it may import; a room always may import itself. */
const rooms: Record<string, readonly string[]> = {
  base: [],
  tape: ["base"],
  environment: ["base"],
  model: ["base"],
  tools: ["base", "tape", "environment", "model"],
  kernel: ["base", "tape", "environment", "model", "tools"],
  plugins: ["base", "tape", "environment", "model", "tools", "kernel"],
  channels: ["base", "tape", "environment", "model", "tools", "kernel"],
  cli: ["base", "tape", "environment", "model", "tools", "kernel", "plugins", "channels"],
  testing: ["base", "tape", "environment", "model", "tools", "kernel", "plugins"],
  agent: ["base", "tape", "environment", "model", "tools", "kernel", "plugins"],
  index: ["base", "tape", "environment", "model", "tools", "kernel", "plugins", "agent"],
};

/** The files that know several plugins; channels are plugins too. */
const listsOfPlugins = ["src/plugins/defaults.ts", "src/plugins/index.ts"];

/** Files that may pass 400 lines, each with the reason. */
const longFiles: Record<string, string> = {};

const sources = listFiles("src").filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
const files = sources.map(readSource);

describe("imports go one way", () => {
  test("every folder of src is a room of the architecture", () => {
    expect(listFolders("src").filter((folder) => !(folder in rooms))).toEqual([]);
    const atTheTop = sources.filter((path) => path.split("/").length === 2);
    expect(atTheTop.filter((path) => path !== "src/index.ts" && path !== "src/agent.ts")).toEqual([]);
  });

  test("a room imports only the rooms below it", () => {
    expect(violations((file, target) => !mayImportRoom(file, target))).toEqual([]);
  });

  test("plugins and channels do not know each other", () => {
    const isForeign = (file: string, target: string): boolean => {
      if (listsOfPlugins.includes(file)) return false;
      const own = pluginFolder(file);
      const other = pluginFolder(target);
      if (own !== undefined && listsOfPlugins.includes(target)) return true;
      return own !== undefined && other !== undefined && own !== other;
    };
    expect(violations(isForeign)).toEqual([]);
  });

  test("a plugin folder is entered by its plugin.ts", () => {
    const isBackDoor = (file: string, target: string): boolean => {
      const folder = pluginFolder(target);
      return folder !== undefined && folder !== pluginFolder(file) && target !== `${folder}/plugin.ts`;
    };
    expect(violations(isBackDoor)).toEqual([]);
  });

  test("imports within src are relative and end in .ts or .json", () => {
    const odd = files.flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ specifier }) => /^bub(\/|$)/.test(specifier) || (/^\./.test(specifier) && !/\.(ts|json)$/.test(specifier)),
        )
        .map(({ specifier }) => `${path} imports ${specifier}`),
    );
    expect(odd).toEqual([]);
  });
});

describe("plugin folders", () => {
  const folders = listFolders("src/plugins");
  const channels = listFolders("src/channels");
  const tests = [...listFiles("src"), ...listFiles("test")].filter((path) => path.endsWith(".test.ts")).map(readSource);

  test("each has a plugin.ts", () => {
    const doors = [...folders.map((name) => `src/plugins/${name}`), ...channels.map((name) => `src/channels/${name}`)];
    expect(doors.filter((folder) => !sources.includes(`${folder}/plugin.ts`))).toEqual([]);
  });

  test("each has a test, beside it or citing it in test/", () => {
    const isTested = (name: string): boolean =>
      tests.some(({ path, text }) => path.startsWith(`src/plugins/${name}/`) || text.includes(`plugins/${name}/`));
    expect(folders.filter((name) => !isTested(name))).toEqual([]);
  });

  test("each has a page in docs/plugins", () => {
    const pages = listFiles("docs/plugins");
    expect(folders.filter((name) => !pages.includes(`docs/plugins/${name}.md`))).toEqual([]);
  });
});

describe("public exports", () => {
  test.each(Object.entries(publicExports))("%s exports the reviewed names and nothing else", (path, reviewed) => {
    const file = files.find((candidate) => candidate.path === path);
    if (file === undefined) return;
    expect(file.exportsAll, "a public entry names what it exports").toBe(false);
    expect(file.exports.map(({ name, isType }) => (isType ? `type ${name}` : name)).sort()).toEqual(
      [...reviewed].sort(),
    );
  });
});

describe("sources", () => {
  test("none says any, or silences the compiler", () => {
    expect(files.filter(({ anyCount }) => anyCount > 0).map(({ path }) => path)).toEqual([]);
    expect(files.filter(({ text }) => /@ts-(ignore|nocheck)/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("none is longer than 400 lines without a reason", () => {
    const long = files.filter(({ text }) => text.trimEnd().split("\n").length > 400).map(({ path }) => path);
    expect(long.sort()).toEqual(Object.keys(longFiles).sort());
  });
});

function violations(isWrong: (file: string, target: string) => boolean): string[] {
  return files.flatMap(({ path, imports }: SourceFile) =>
    imports
      .filter((imported) => imported.path.startsWith("src/") && isWrong(path, imported.path))
      .map((imported) => `${path} imports ${imported.path}`),
  );
}

function mayImportRoom(file: string, target: string): boolean {
  const from = roomOf(file);
  const to = roomOf(target);
  if (from === to) return true;
  if (listsOfPlugins.includes(file) && to === "channels") return true;
  return rooms[from]?.includes(to) ?? false;
}

function roomOf(path: string): string {
  const [, second = ""] = path.split("/");
  return second.replace(/\.ts$/, "");
}

/** `src/plugins/shell` for a file anywhere in it; undefined for a file of no plugin. */
function pluginFolder(path: string): string | undefined {
  return /^(src\/(?:plugins|channels)\/[^/]+)\//.exec(path)?.[1];
}
