// Where the command line takes plugins from, and where it never does.
import { expect, test } from "vitest";
import { manifestText, writeProject } from "../support/package-project.ts";
import { createCliWorld } from "../support/run-cli.ts";

const answering = (name: string) => `
  const plugin = {
    name: "${name}",
    renderOutbound: ({ text }, { inbound, sessionId }) => [
      { channel: inbound.channel, chatId: inbound.chatId, sessionId, kind: "answer", text: text + " by ${name}" },
    ],
  };
  Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
  export default plugin;`;

test("R5.5 --plugin loads a plugin, relative to the current folder, which changes what is printed", async () => {
  using world = createCliWorld();
  world.file("workspace/own.mjs", answering("own"));
  const result = await world.run(["run", "hi", "--plugin", "own.mjs", "--model", world.script("done")]);
  expect(result).toEqual({ code: 0, stdout: "done by own\n", stderr: "" });
});

test("R5.0 pitfalls: what a plugin prints goes to stderr; stdout holds the answer, the events or the report alone", async () => {
  using world = createCliWorld();
  const noisy = world.file(
    "noisy.mjs",
    `console.log("noise on load");
    const plugin = {
      name: "noisy",
      loadState() { console.log("noise of a hook"); process.stdout.write("raw noise\\n"); return {}; },
      registerCommands: (commands) => commands.add({
        name: "greet", summary: "Greet.", example: "bub greet", run: async () => { console.log("hello"); return 0; },
      }),
    };
    Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
    export default plugin;`,
  );
  const words = ["hi", "--plugin", noisy, "--model", world.script("one", "two")];
  expect(await world.run(["run", ...words])).toEqual({
    code: 0,
    stdout: "one\n",
    stderr: "noise on load\nnoise of a hook\nraw noise\n",
  });
  const events = (await world.run(["run", "--json", ...words])).stdout.trimEnd().split("\n");
  expect(events.map((line) => JSON.parse(line).type)).toEqual(["text-delta", "step-finished", "final"]);
  expect(JSON.parse((await world.run(["hooks", "--json", "--plugin", noisy])).stdout)).toHaveProperty("hooks");
  expect(await world.run(["--plugin", noisy, "greet"])).toEqual({
    code: 0,
    stdout: "hello\n",
    stderr: "noise on load\n",
  });
});

test("R5.5 config.yml names plugins from its own folder; --plugin comes after them and wins", async () => {
  using world = createCliWorld();
  world.file("home/kept.mjs", answering("kept"));
  world.file("home/config.yml", "plugins: [kept.mjs]\n");
  const own = world.file("own.mjs", answering("own"));
  const model = world.script("one", "two");
  expect((await world.run(["run", "hi", "--model", model])).stdout).toBe("one by kept\n");
  expect((await world.run(["run", "hi", "--plugin", own, "--model", model])).stdout).toBe("two by own\n");
});

test("R5.5 installed plugins come before those of config.yml; a broken one is named, and the rest go on", async () => {
  using world = createCliWorld();
  writeProject(world.home, {
    "bub-installed": {
      "package.json": manifestText({ name: "bub-installed", bub: "./own.js" }),
      "own.js": answering("installed"),
    },
    "bub-broken": { "package.json": manifestText({ name: "bub-broken", bub: "./own.js" }), "own.js": "throw 1;" },
  });
  const model = world.script("one", "two");
  const first = await world.run(["run", "hi", "--model", model]);
  expect(first).toEqual({
    code: 0,
    stdout: "one by installed\n",
    stderr: expect.stringMatching(/^bub: The plugin bub-broken 1\.0\.0 is skipped: loading .*own\.js failed: 1\n$/),
  });
  world.file("home/kept.mjs", answering("kept"));
  world.file("home/config.yml", "plugins: [kept.mjs]\n");
  expect((await world.run(["run", "hi", "--model", model])).stdout).toBe("two by kept\n");
});

test("R5.5 a workspace brings no code: a plugin project in it is passed over", async () => {
  using world = createCliWorld();
  const project = {
    "bub-evil": { "package.json": manifestText({ name: "bub-evil", bub: "./own.js" }), "own.js": answering("evil") },
  };
  writeProject(world.workspace, project);
  writeProject(`${world.workspace}/.bub`, project);
  world.file("workspace/.env", "BUB_HOME=.\n");
  const result = await world.run(["run", "hi", "--model", world.script("done")]);
  expect(result).toMatchObject({ code: 0, stdout: "done\n" });
});

test("R5.5 a workspace brings no code: plugins in its .env are passed over with a warning", async () => {
  using world = createCliWorld();
  const evil = world.file("workspace/evil.mjs", answering("evil"));
  world.file("workspace/.env", `BUB_PLUGINS=${evil}\n`);
  world.file("workspace/config.yml", `plugins: [${evil}]\n`);
  const result = await world.run(["run", "hi", "--model", world.script("done")]);
  expect(result).toMatchObject({ code: 0, stdout: "done\n" });
  expect(result.stderr).toMatch(/^bub: BUB_PLUGINS in the workspace's \.env is ignored[^\n]*\n$/);
});

test("R1.5 a plugin beside which there is no bub is skipped, and the reader told what to do", async () => {
  using world = createCliWorld();
  const alone = world.file(
    "alone.mjs",
    'import { definePlugin } from "bub"; export default definePlugin({ name: "alone" });',
  );
  const { code, stdout, stderr } = await world.run(["run", "hi", "--plugin", alone, "--model", world.script("done")]);
  expect([code, stdout]).toEqual([0, "done\n"]);
  expect(stderr).toContain(
    `bub: The plugin ${alone} is skipped: loading ${alone} failed: Cannot find package 'bub' imported from ${alone}. ` +
      "Install bub where the plugin lies.\n",
  );
});

test.each([
  ["ends the process", "process.exit(0)"],
  ["waits for what never comes", "return new Promise(() => {})"],
])("R5.5 a plugin that %s is no success: exit code 1 and a sentence", async (_what, body) => {
  using world = createCliWorld();
  const text = `const plugin = { name: "odd", systemPrompt() { ${body} } };
    Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
    export default plugin;`;
  const plugin = world.file("odd.mjs", text);
  expect(await world.run(["run", "hi", "--plugin", plugin, "--model", world.script("done")])).toEqual({
    code: 1,
    stdout: "",
    stderr: "bub: the process ended before the command did: a plugin ended it, or waits for what never comes.\n",
  });
});
