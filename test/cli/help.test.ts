// The command line explains itself, and what it cannot understand.
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { commands, groups } from "../../src/cli/command-table.ts";
import { createCliWorld } from "../support/run-cli.ts";

const names = ["", ...commands.map(({ name }) => name), ...Object.keys(groups)];

test.each(names)("R5.1 bub %s --help ends with an example", async (name) => {
  using world = createCliWorld();
  const result = await world.run([...name.split(" "), "--help"].filter(Boolean));
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toMatch(/\nExample:\n {2}\S.*bub .*\n$|\nExample:\n {2}bub .*\n$/);
  expect(Math.max(...result.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("T1.2 --help says that tools act on this machine and that it is no sandbox", async () => {
  using world = createCliWorld();
  const { stdout } = await world.run(["--help"]);
  expect(stdout.replace(/\s+/g, " ")).toContain("act on this machine, as you: it is not a sandbox");
});

test("R5.1 bub alone shows the help", async () => {
  using world = createCliWorld();
  expect((await world.run([])).stdout).toBe((await world.run(["--help"])).stdout);
});

test.each(["--version", "-V"])("R5.1 bub %s prints the version", async (flag) => {
  using world = createCliWorld();
  expect(await world.run([flag])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test.each([
  ["an option", ["run", "--jsn", "hi"], "--jsn", "--json"],
  ["a global option", ["--worspace", "x", "run", "hi"], "--worspace", "--workspace"],
  ["a command", ["rnu", "hi"], "rnu", "run"],
  ["a command of a group", ["tape", "shwo"], "tape shwo", "show"],
])("R5.1 %s that is unknown suggests the near one and exits 2", async (_what, words, wrong, near) => {
  using world = createCliWorld();
  const result = await world.run(words);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(new RegExp(`^bub: unknown .*'${wrong}'.*\\(Did you mean ${near}\\?\\)\\n$`));
});

test.each([
  ["a value that is missing", ["run", "hi", "--model"]],
  ["too many words", ["hooks", "please"]],
  ["a number that is none", ["tape", "show", "--limit", "many"]],
  ["a group alone", ["tape"]],
  ["a command of nobody", ["entirely-unknown"]],
])("R5.1 %s is a usage error: exit 2, nothing on stdout", async (_what, words) => {
  using world = createCliWorld();
  const result = await world.run(words);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).not.toBe("");
  expect(result.stderr).not.toMatch(/\n\s+at /);
});

test("R1.4 a plugin brings a command by registerCommands", async () => {
  using world = createCliWorld();
  const plugin = world.file(
    "greet.mjs",
    `const plugin = {
      name: "greet",
      registerCommands: (commands) => commands.add({
        name: "greet", summary: "Greet.", example: "bub greet ann",
        run: async (words) => { console.log("hello " + words.join("+")); return 3; },
      }),
    };
    Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
    export default plugin;`,
  );
  expect(await world.run(["--plugin", plugin, "greet", "ann", "--json"])).toEqual({
    code: 3,
    stdout: "hello ann+--json\n",
    stderr: "",
  });
  expect((await world.run(["--plugin", plugin, "greet", "--help"])).stdout).toBe(
    "Greet.\n\nExample:\n  bub greet ann\n",
  );
  const near = await world.run(["--plugin", plugin, "gret"]);
  expect(near.stderr).toBe("bub: unknown command 'gret' (Did you mean greet?)\n");
});
