// Commands that only look: hooks, doctor, tape show.
import { appendFileSync, chmodSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hookKinds } from "../../src/kernel/hooks.ts";
import { createCliWorld } from "../support/run-cli.ts";

const branded = (name: string, body: string) => `
  const plugin = { name: "${name}", ${body} };
  Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
  export default plugin;`;

const tool = (
  name: string,
) => `{ name: "${name}", alias: "${name.replaceAll(".", "_")}", description: "", exposure: "auto",
  deferred: false, exclusive: false, parameters: {}, validate: async (args) => ({ ok: true, args }), run: () => "", render: String }`;

test("R1.4 hooks prints each hook with its kind and the plugins in the order in which they are asked", async () => {
  using world = createCliWorld();
  const plugin = world.file(
    "own.mjs",
    branded("own", "resolveSession: () => undefined, systemPrompt: () => undefined"),
  );
  const { code, stdout, stderr } = await world.run(["hooks", "--json", "--plugin", plugin]);
  const report = JSON.parse(stdout) as { hooks: { hook: string; kind: string; plugins: string[] }[] };
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(Object.fromEntries(report.hooks.map(({ hook, kind }) => [hook, kind]))).toEqual(hookKinds);
  const pluginsOf = (name: string) => report.hooks.find(({ hook }) => hook === name)?.plugins;
  expect(pluginsOf("resolveSession")).toEqual(["own", "session"]);
  expect(pluginsOf("systemPrompt")?.at(-1)).toBe("own");
});

test("R1.4 hooks prints each tool with its plugin, and which plugin's it replaced", async () => {
  using world = createCliWorld();
  const plugin = world.file("own.mjs", branded("own", `provideTools: () => [${tool("fs.read")}, ${tool("own.tool")}]`));
  const { stdout } = await world.run(["hooks", "--json", "--plugin", plugin]);
  const { tools } = JSON.parse(stdout) as { tools: { name: string; plugin: string; replaced_by?: string }[] };
  expect(tools).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "fs.read", plugin: "files", replaced_by: "own" }),
      expect.objectContaining({ name: "fs.write", plugin: "files", exposure: "direct" }),
      expect.objectContaining({ name: "own.tool", alias: "own_tool", plugin: "own" }),
    ]),
  );
  const text = (await world.run(["hooks", "--plugin", plugin])).stdout;
  expect(text).toMatch(/^ {2}resolveSession +first +session$/m);
  expect(text).toMatch(/^ {2}fs\.read +direct +files, replaced by own$/m);
});

test("R5.4 doctor shows each setting with its value and source, secrets masked", async () => {
  using world = createCliWorld();
  world.file("home/config.yml", "max_steps: 9\n");
  world.file("workspace/.env", "BUB_MAX_TOKENS=99\nOPENAI_API_KEY=sk-from-dotenv\n");
  const env = {
    BUB_API_KEY: "sk-very-secret",
    BUB_LOOP_GUARD: "5",
    BUB_API_BASE: "http://me:sk-password@127.0.0.1:9/v1",
    BUB_CLIENT_ARGS: '{"headers":{"authorization":"Bearer sk-header"},"timeout":9}',
    BUB_PROVIDERS: '{"mine":{"api_base":"http://x","api_key":"sk-other"},"its":{"api_base":"http://me:pw@x"}}',
  };
  const words = ["doctor", "--model", world.script("ok")];
  const { code, stdout } = await world.run([...words, "--json"], { env });
  const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown; source: string }[] };
  const shown = Object.fromEntries(settings.map(({ name, value, source }) => [name, [value, source]]));
  expect(code).toBe(0);
  expect(shown).toMatchObject({
    model: [expect.stringMatching(/^scripted:/), "flag"],
    loop_guard: [5, "environment"],
    max_tokens: [99, ".env"],
    max_steps: [9, "config.yml"],
    spill_threshold: [4096, "default"],
    api_key: ["***", "environment"],
    providers: [{ mine: { api_base: "http://x", api_key: "***" }, its: { api_base: "http://***@x" } }, "environment"],
    api_base: ["http://***@127.0.0.1:9/v1", "environment"],
    client_args: [{ headers: { authorization: "***" }, timeout: 9 }, "environment"],
  });
  const text = (await world.run(words, { env })).stdout;
  expect(text).toMatch(/^ {2}loop_guard +environment +5$/m);
  expect(text + stdout).not.toMatch(/sk-/);
});

test("R5.4 doctor says which key a model uses, and exits 1 when none can be asked", async () => {
  using world = createCliWorld();
  const env = { OPENROUTER_API_KEY: "sk-very-secret" };
  const good = await world.run(["doctor", "--offline"], { env });
  expect(good.code).toBe(0);
  expect(good.stdout).toContain("key *** from OPENROUTER_API_KEY, at https://openrouter.ai/api/v1, not asked");
  expect(good.stdout).toContain("Nothing is broken.");
  const bad = await world.run(["doctor"]);
  expect(bad).toMatchObject({ code: 1, stderr: "" });
  expect(bad.stdout).toMatch(/Problems\n {2}There is no API key for openrouter[^\n]*\n$/);
});

test("R5.4 doctor warns about unknown settings with the near name, which breaks nothing", async () => {
  using world = createCliWorld();
  world.file("home/config.yml", "max_step: 9\n");
  const result = await world.run(["doctor", "--model", world.script("ok")], { env: { BUB_MODLE: "x" } });
  expect(result.code).toBe(0);
  expect(result.stdout).toMatch(/BUB_MODLE.*BUB_MODEL/);
  expect(result.stdout).toMatch(/max_step .*max_steps/);
});

test("R1.5 doctor tells which plugin was skipped, and exits 1", async () => {
  using world = createCliWorld();
  const result = await world.run(["doctor", "--json", "--plugin", "nowhere.mjs", "--model", world.script("ok")]);
  const { problems } = JSON.parse(result.stdout) as { problems: string[] };
  expect(result.code).toBe(1);
  expect(problems).toEqual([expect.stringContaining("nowhere.mjs")]);
});

test("R1.4 doctor prints what plugins find broken", async () => {
  using world = createCliWorld();
  const plugin = world.file("own.mjs", branded("own", 'diagnose: () => ["The flux is out of order."]'));
  const result = await world.run(["doctor", "--plugin", plugin, "--model", world.script("ok")]);
  expect(result.code).toBe(1);
  expect(result.stdout).toMatch(/Problems\n {2}The flux is out of order\.\n$/);
});

const configurable = `
  const plugin = {
    name: "reader",
    settings: {
      type: "object",
      properties: {
        site: { type: "string" },
        limit: { type: "integer", default: 5 },
        token: { type: "string", writeOnly: true },
      },
      required: ["site"],
    },
    create: ({ own }) => ({ diagnose: () => own.limit > 9 ? ["The limit " + own.limit + " with " + own.token + " is too high."] : [] }),
  };
  Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
  export default plugin;`;

test("R5.5 doctor shows the settings of plugins with their sources, secrets masked", async () => {
  using world = createCliWorld();
  const plugin = world.file("reader.mjs", configurable);
  chmodSync(
    world.file("home/config.yml", "plugin_settings:\n  reader:\n    site: a.example\n    token: very-secret\n"),
    0o600,
  );
  const words = ["doctor", "--plugin", plugin, "--model", world.script("ok")];
  const { code, stdout } = await world.run(words);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}plugin_settings\.reader\.site +config\.yml +a\.example$/m);
  expect(stdout).toMatch(/^ {2}plugin_settings\.reader\.limit +default +5$/m);
  expect(stdout).toMatch(/^ {2}plugin_settings\.reader\.token +config\.yml +\*\*\*$/m);
  world.file("home/config.yml", "plugin_settings:\n  reader: { site: a, limit: 10, token: very-secret }\n");
  const told = await world.run([...words, "--json"]);
  expect(told.stdout).toContain("The limit 10 with *** is too high.");
  expect(told.stdout).not.toContain("very-secret");
});

test("R5.5 doctor tells which setting of a plugin is wrong, and exits 1; a run goes on without the plugin", async () => {
  using world = createCliWorld();
  const plugin = world.file("reader.mjs", configurable);
  world.file("home/config.yml", "plugin_settings:\n  reader: { site: a.example, limt: 3 }\n");
  const sentence =
    "The plugin reader is skipped: plugin_settings.reader.limt in config.yml is no setting of the plugin; did you mean limit?";
  const words = ["--plugin", plugin, "--model", world.script("ok")];
  const { code, stdout } = await world.run(["doctor", "--json", ...words]);
  expect({ code, problems: (JSON.parse(stdout) as { problems: string[] }).problems }).toEqual({
    code: 1,
    problems: [sentence],
  });
  expect(await world.run(["run", "hi", ...words])).toEqual({ code: 0, stdout: "ok\n", stderr: `bub: ${sentence}\n` });
});

test("R3.4 doctor reports corrupt lines of the session's tape, and exits 1", async () => {
  using world = createCliWorld();
  const model = world.script("ok");
  await world.run(["run", "hi", "--model", model]);
  const place = world.tapeFile();
  const offset = readFileSync(place).length;
  appendFileSync(place, '{"id": broken}\n');
  const result = await world.run(["doctor", "--model", model]);
  expect(result.code).toBe(1);
  expect(result.stdout).toContain(`byte ${offset}`);
  expect(result.stdout).toContain(place);
});

test("R3.4 doctor reports ids that stand more than once on the session's tape, and exits 1", async () => {
  using world = createCliWorld();
  const model = world.script("ok");
  await world.run(["run", "hi", "--model", model]);
  const place = world.tapeFile();
  const lines = readFileSync(place, "utf8").trimEnd().split("\n");
  appendFileSync(place, `${lines.slice(-2).join("\n")}\n`);
  const result = await world.run(["doctor", "--model", model]);
  expect(result.code).toBe(1);
  const first = lines.length - 1;
  expect(result.stdout).toContain(`  2 ids stand more than once, the first is ${first}, in ${place}.\n`);
});

test("R5.1 tape show prints an entry a block, oldest first, and the last ones with --limit", async () => {
  using world = createCliWorld();
  const call = { text: "I look.", calls: [{ name: "fs.read", arguments: { path: "a.txt" } }] };
  world.file("workspace/a.txt", "inside");
  await world.run(["run", "hi", "--model", world.script(call, "the answer")]);
  const { code, stdout, stderr } = await world.run(["tape", "show"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const blocks = stdout.trimEnd().split("\n\n");
  expect(blocks[0]).toMatch(/^#1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}anchor {2}session\/start\n {2}owner: human$/);
  expect(stdout).toContain("tool_call\n  I look.\n  fs_read a.txt\n");
  expect(stdout).toContain("tool_result\n  fs_read: ok\n  inside\n");
  expect(stdout).toContain("message  assistant\n  the answer\n");
  const last = await world.run(["tape", "show", "--limit", "2"]);
  expect(last.stdout.match(/^#\d+/gm)).toEqual([`#${world.entries().length - 1}`, `#${world.entries().length}`]);
});

test("R5.1 tape show --json prints the entries as they stand", async () => {
  using world = createCliWorld();
  await world.run(["run", "hi", "--session-id", "mine", "--model", world.script("ok")]);
  const { stdout } = await world.run(["tape", "show", "--session-id", "mine", "--json", "--limit", "0"]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toEqual(world.entries("mine"));
});

test("hostile text: tape show neutralises controls and masks secrets", async () => {
  using world = createCliWorld();
  const secret = "sk-very-secret";
  await world.run(["run", `\u001b[2J\u009b ${secret}`, "--model", world.script("\u001b]0;owned\u0007")]);
  for (const words of [
    ["tape", "show"],
    ["tape", "show", "--json"],
  ]) {
    const { stdout } = await world.run(words, { env: { BUB_API_KEY: secret } });
    expect(/(?!\n)\p{Cc}/u.test(stdout)).toBe(false);
    expect(stdout).toContain("***");
    expect(stdout).not.toContain(secret);
  }
});

test("R5.1 tape show of a session without entries says so and is no error", async () => {
  using world = createCliWorld();
  const result = await world.run(["tape", "show", "--session-id", "none"]);
  expect(result).toEqual({
    code: 0,
    stdout: "",
    stderr: "bub: the session 'none' has no entries in this workspace.\n",
  });
});
