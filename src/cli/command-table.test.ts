import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands, globalOptions } from "./command-table.ts";

const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
const sectionOf = (name: string) => page.split(/^## /m).find((section) => section.startsWith(`${name}\n`)) ?? "";

test.each(commands.map(({ name, options }) => [name, options] as const))(
  "docs/cli.md has a section on %s that names its options",
  (name, options) => {
    const shared = name === "chat" ? sectionOf("run") : "";
    const missing = options.filter((option) => !(sectionOf(name) + shared).includes(`--${option.name}`));
    expect(sectionOf(name)).not.toBe("");
    expect(missing.map((option) => option.name)).toEqual([]);
  },
);

test("docs/cli.md names the options of every command", () => {
  expect(globalOptions.filter(({ name }) => !page.includes(`\`--${name} `))).toEqual([]);
});
