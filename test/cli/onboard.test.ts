// `bub onboard` without a terminal: options in the place of answers, what is written, and what is left alone.
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stalled, startFaultServer } from "../../src/testing/fault-server.ts";
import { modelServer, webPage } from "../support/model-list-server.ts";
import { type CliWorld, createCliWorld } from "../support/run-cli.ts";

const key = "sk-0123456789abcdef";
const configOf = (world: CliWorld) => readFileSync(join(world.home, "config.yml"), "utf8");

test("R5.1 onboard by options writes model, address and key, asks the model once, and a run works", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a", "b:8b"], { key })]);
  const words = ["onboard", "--provider", "lab", "--api-base", server.url, "--model", "b:8b", "--key-from-env", "LAB"];
  const result = await world.run(words, { env: { LAB: ` ${key}\n` } });
  const place = join(world.home, "config.yml");
  expect(result).toMatchObject({ code: 0, stdout: "" });
  expect(result.stderr).toMatch(/^It works: lab:b:8b answered "ready" after \d+(\.\d)? m?s\.\n.*\n$/);
  expect(result.stderr).toContain(`${place} is written.\n`);
  expect(configOf(world)).toBe(
    `model: lab:b:8b\nproviders:\n  lab:\n    type: openai\n    api_base: ${server.url}\n    api_key: ${key}\n`,
  );
  expect([statSync(place).mode & 0o777, statSync(world.home).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(server.requests).toHaveLength(1);
  expect(await world.run(["run", "hi"])).toMatchObject({ code: 0, stdout: "ready\n" });
});

test("R5.1 onboard takes the key from stdin, provider:model in one, and keeps comments and unknown keys", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a"], { key })]);
  const before = `# mine\nmax_steps: 9 # enough\nodd: {x: 1}\nproviders:\n  lab: # upstairs\n    api_base: ${server.url}\n`;
  world.file("home/config.yml", before);
  const result = await world.run(["onboard", "--model", "lab:a", "--key-stdin"], { input: `${key}\n` });
  expect(result.code).toBe(0);
  expect(configOf(world)).toBe(`${before}    type: openai\n    api_key: ${key}\nmodel: lab:a\n`);
});

test("R5.1 a key of the environment is used where it is, and not written", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a"], { key })]);
  const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url };
  const result = await world.run(["onboard", "--model", "openai:a"], { env });
  expect(result.code).toBe(0);
  expect(configOf(world)).toBe("model: openai:a\n");
});

test("R5.1 onboard without a terminal and without options is one sentence with an example, exit 2", async () => {
  using world = createCliWorld();
  const result = await world.run(["onboard"]);
  expect(result).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "bub: bub onboard asks its questions on a terminal, and this is none; its options answer them: bub onboard --model openai:gpt-5 --key-from-env OPENAI_API_KEY\n",
  });
});

test.each([
  [["--provider", "openai", "--model", "x"], "bub onboard needs --key-from-env NAME or --key-stdin: API key of openai"],
  [
    ["--provider", "opnai", "--model", "x"],
    "bub onboard needs --api-base: nobody knows where opnai is. Did you mean openai? Else give the address of its API, such as http://127.0.0.1:8000/v1.",
  ],
  [
    ["--model", "nearby:x", "--no-test"],
    "bub onboard needs --api-base: nobody knows where nearby is. It is not one of openai, openrouter, anthropic, google, gemini, ollama: give the address of its API, such as http://127.0.0.1:8000/v1.",
  ],
  [
    ["--provider", "ollama", "--api-base", "nonsense"],
    "--api-base cannot be 'nonsense': An address begins with http://",
  ],
  [["--provider", "ollama", "--api-base", "http://me:pw@x/v1"], "The key is asked for by itself, not in the address."],
  [["--model", "gpt-5"], "--model is 'gpt-5': write provider:model, or give --provider, too."],
  [["--model", "openai:x", "--key-from-env", "NOT_SET"], "the variable NOT_SET is not set"],
  [
    ["--model", "openai:x", "--key-from-env", "sk-secret-1"],
    "what --key-from-env names is no variable; it takes the name",
  ],
  [["--model", "openai:x", "--key-stdin"], "--key-stdin: there is no key on stdin."],
  [["--provider", "ollama", "--model", "two\nlines"], "A model's name is one line without control characters."],
  [["--answer", "x"], "--answer is 'x', but must be a question's name"],
])("R5.1 onboard %j is a sentence, exit 2, and nothing is written", async (words, sentence) => {
  using world = createCliWorld();
  const { code, stdout, stderr } = await world.run(["onboard", ...words], { input: "" });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain("sk-secret");
  expect(() => statSync(world.home)).toThrow("ENOENT");
});

test.each([
  ["blanks", "sk two words", "That holds characters that no key has"],
  ["two lines", "sk-one\nsk-two", "That holds characters that no key has"],
  ["an escape", "sk-\u001b[31mred", "That holds characters that no key has"],
  ["a variable", "OPENAI_API_KEY=sk-1", "Only the key itself, please"],
  ["quotes", '"sk-1"', "Only the key itself, please"],
  ["a book", "x".repeat(20_000), "that is more than 16384 bytes, which no key has"],
])("R5.1 onboard refuses what is no key: %s", async (_what, text, sentence) => {
  using world = createCliWorld();
  const { code, stderr } = await world.run(["onboard", "--model", "openai:x", "--key-stdin"], { input: text });
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain(text.slice(0, 6));
});

test("R5.1 a first call that fails says what failed and what to do, and writes nothing; --no-test writes", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a"], { key })]);
  const words = ["onboard", "--provider", "server", "--api-base", server.url, "--key-from-env", "K"];
  const asked = (model: string, own: string) => world.run([...words, "--model", model], { env: { K: own } });
  const refused = await asked("a", "sk-wrong-0123");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toBe(
    "bub: local refused the key from your answer (401): No such key. Was the key copied whole, and is it one of this provider? Nothing was written; --no-test writes it without a first call.\n",
  );
  const unknown = await asked("none", key);
  expect(unknown.stderr).toContain("knows no such model or address (404): No such model. Check the model's name");
  expect(() => statSync(world.home)).toThrow("ENOENT");
  expect(await world.run([...words, "--model", "x", "--no-test"], { env: { K: key } })).toMatchObject({ code: 0 });
  expect(configOf(world)).toContain("model: local:x\n");
});

test("R5.1 a web page in the place of an API is told as one", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([webPage]);
  const { code, stderr } = await world.run(["onboard", "--provider", "lab", "--api-base", server.url, "--model", "x"]);
  expect(code).toBe(1);
  expect(stderr).toContain("Is that the address of an API, and not of a web page? It often ends in /v1.");
});

test("R5.1 a server that says nothing is given up by Ctrl-C, and nothing is written", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([stalled()]);
  const running = world.start(["onboard", "--provider", "lab", "--api-base", server.url, "--model", "x"]);
  await server.request(1);
  running.kill("SIGINT");
  expect(await running.ended).toEqual({ code: 130, stdout: "", stderr: "bub: nothing was changed.\n" });
  expect(() => statSync(world.home)).toThrow("ENOENT");
});

test("R5.1 the only model on a list needs no option, one of many does", async () => {
  using world = createCliWorld();
  await using one = await startFaultServer([modelServer(["only/one"])]);
  await using many = await startFaultServer([modelServer(["a", "b"])]);
  const words = (url: string) => ["onboard", "--provider", "server", "--api-base", url];
  expect((await world.run(words(many.url))).stderr).toContain("bub onboard needs --model: Which model of local?");
  expect(await world.run(words(one.url))).toMatchObject({ code: 0 });
  expect(configOf(world)).toContain("model: local:only/one\n");
  // Another server gets another name.
  expect((await world.run([...words(many.url), "--model", "a"])).code).toBe(0);
  expect(configOf(world)).toContain(`  local-2:\n    type: openai\n    api_base: ${many.url}\n`);
  expect(configOf(world)).toContain(`  local:\n    type: openai\n    api_base: ${one.url}\n`);
});

test("R5.1 a config.yml that is not understood is left alone with a sentence", async () => {
  using world = createCliWorld();
  const words = ["onboard", "--provider", "ollama", "--model", "x", "--no-test"];
  const place = world.file("home/config.yml", "model: [a\n");
  const broken = await world.run(words);
  expect(broken).toMatchObject({ code: 1, stdout: "" });
  expect(broken.stderr).toMatch(/^bub: \S+config\.yml is not valid YAML: [^\n]+\n$/);
  expect(readFileSync(place, "utf8")).toBe("model: [a\n");
});

test("R5.1 a config.yml that is a link is written where it leads; one that is a folder is refused", async () => {
  using world = createCliWorld();
  const words = ["onboard", "--provider", "ollama", "--model", "x", "--no-test"];
  const real = world.file("dotfiles/bub.yml", "# shared\n");
  mkdirSync(world.home);
  symlinkSync(real, join(world.home, "config.yml"));
  expect(await world.run(words)).toMatchObject({ code: 0 });
  expect(readFileSync(real, "utf8")).toBe("# shared\nmodel: ollama:x\n");
  using other = createCliWorld();
  mkdirSync(join(other.home, "config.yml"), { recursive: true });
  const folder = await other.run(words);
  expect(folder.code).toBe(1);
  expect(folder.stderr).toMatch(
    /config\.yml cannot be read: it is a folder\. Make it a file that you can read, or .*\.\n$/,
  );
});

test("R5.4 onboard says what stands above config.yml, so that nobody wonders", async () => {
  using world = createCliWorld();
  const words = ["onboard", "--provider", "ollama", "--model", "x", "--no-test"];
  const { code, stderr } = await world.run(words, { env: { BUB_MODEL: "openai:other" } });
  expect(code).toBe(0);
  expect(stderr).toContain(
    "But BUB_MODEL in the environment is above it: remove that, or what was written does not count.\n",
  );
});

const plugin = (body: string) => `
  const plugin = { name: "pager", async onboard(onboarding) { ${body} } };
  Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
  export default plugin;`;

test("R1.4 onboard asks every plugin, by --answer too, and writes what it sets", async () => {
  using world = createCliWorld();
  const file = world.file(
    "pager.mjs",
    plugin(`
      const number = await onboarding.text({ name: "pager-number", message: "Which pager?", initial: "1" });
      const tone = await onboarding.choose({ name: "pager-tone", message: "Which tone?", choices: () => [{ value: "low" }, { value: "high" }], initial: "low" });
      onboarding.set(["plugin_settings", "pager", "number"], number);
      onboarding.set(["plugin_settings", "pager", "tone"], tone);`),
  );
  const words = ["onboard", "--plugin", file, "--provider", "ollama", "--model", "x", "--no-test"];
  expect((await world.run([...words, "--answer", "pager-number=555"])).code).toBe(0);
  expect(configOf(world)).toContain('plugin_settings:\n  pager:\n    number: "555"\n    tone: low\n');
  const wrong = await world.run([...words, "--answer", "pager-tone=loud"]);
  expect(wrong.stderr).toBe("bub: --answer pager-tone=… is 'loud', but must be one of: low, high.\n");
  expect(wrong.code).toBe(2);
});

test("R1.4 a plugin whose settings are missing is asked for them, and works after it", async () => {
  using world = createCliWorld();
  const file = world.file(
    "pager.mjs",
    `const plugin = {
      name: "pager",
      settings: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
      async onboard(onboarding) {
        onboarding.set(["plugin_settings", "pager", "number"], await onboarding.text({ name: "pager-number", message: "Which pager?" }));
      },
      create: ({ own }) => ({ systemPrompt: () => "The pager is " + own.number + "." }),
    };
    Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
    export default plugin;`,
  );
  const words = ["onboard", "--plugin", file, "--provider", "ollama", "--model", "x", "--no-test"];
  const missing = await world.run(words);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("bub: bub onboard needs --answer pager-number=…: Which pager?\n");
  expect((await world.run([...words, "--answer", "pager-number=555"])).code).toBe(0);
  const report = await world.run(["hooks", "--json", "--plugin", file]);
  expect(report.stderr).toBe("");
  expect(report.stdout).toMatch(/"systemPrompt","kind":"collect","plugins":\[[^\]]*"pager"/);
});

test("R1.4 a plugin that fails in onboard is told by name, what it set is dropped, and the others are written", async () => {
  using world = createCliWorld();
  const file = world.file("pager.mjs", plugin('onboarding.set(["odd"], 1); throw new Error("no signal");'));
  const words = ["onboard", "--plugin", file, "--provider", "ollama", "--model", "x", "--no-test"];
  const result = await world.run(words);
  expect(result.code).toBe(1);
  expect(result.stderr).toContain('bub: plugin "pager" failed in onboard: no signal\n');
  expect(configOf(world)).toBe("model: ollama:x\n");
});

test.skipIf(process.platform !== "linux")(
  "R5.1 a home where no folder can be made is one sentence, at once",
  async () => {
    using world = createCliWorld();
    const env = { BUB_HOME: "/proc/1/bub" };
    const result = await world.run(["onboard", "--provider", "ollama", "--model", "x", "--no-test"], { env });
    expect(result).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "bub: cannot write /proc/1/bub/config.yml: the path does not exist. Set BUB_HOME to a folder that you can write.\n",
    });
  },
);

test("R5.1 a home that cannot be written is one sentence", async () => {
  using world = createCliWorld();
  writeFileSync(world.home, "a file");
  const result = await world.run(["onboard", "--provider", "ollama", "--model", "x", "--no-test"]);
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/^bub: [^\n]+\n$/);
});
