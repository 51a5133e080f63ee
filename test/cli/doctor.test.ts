// `bub doctor` as a person meets it: providers that answer or do not, files that are open to others, what --fix does.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stalled, startFaultServer } from "../../src/testing/fault-server.ts";
import { modelServer, webPage } from "../support/model-list-server.ts";
import { missing } from "../support/requirements.ts";
import { type CliWorld, cliFile, createCliWorld } from "../support/run-cli.ts";
import { root } from "../support/source-files.ts";
import { openPane } from "../support/tmux.ts";

interface Report {
  sections: { plugin: string; title: string; facts: { name: string; value: string }[] }[];
  fixed: string[];
  fixable: string[];
  warnings: string[];
  problems: string[];
  settings: { name: string; value: unknown; source: string }[];
  plugins: string[];
  tape: { entries: number } | null;
}

async function examine(world: CliWorld, words: readonly string[] = [], env: Record<string, string> = {}) {
  const result = await world.run(["doctor", "--json", ...words], { env });
  const report = JSON.parse(result.stdout) as Report;
  const factsOf = (plugin: string) => report.sections.find((section) => section.plugin === plugin)?.facts ?? [];
  return { ...result, report, factsOf };
}

const key = "sk-0123456789abcdef";

test("R5.4 doctor says of a home that is a link to nowhere that nothing can be kept", async () => {
  using world = createCliWorld();
  symlinkSync("/nowhere/at/all", world.home);
  const { code, stdout } = await world.run(["doctor", "--offline"]);
  expect(code).toBe(1);
  expect(stdout).toContain(`${world.home} is no folder: nothing can be kept.`);
});

test("R5.4 doctor asks the provider for its list: models, key and address that are right", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a", "b"], { key })]);
  const env = { BUB_MODEL: "lab:a", BUB_LAB_API_BASE: server.url, BUB_LAB_API_KEY: key };
  const { code, stdout, report, factsOf } = await examine(world, [], env);
  expect({ code, problems: report.problems }).toEqual({ code: 0, problems: [] });
  expect(factsOf("models")).toEqual([
    { name: "lab:a", value: `key …cdef from BUB_LAB_API_KEY, at ${server.url}, answers with 2 models` },
    { name: "models of lab", value: "a, b" },
  ]);
  expect(stdout).not.toContain(key);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/models"]);
});

test("R4.1 doctor shows the list of the chosen provider, names like the chosen one first, and of a long one the beginning", async () => {
  using world = createCliWorld();
  const names = Array.from({ length: 20 }, (_, index) => `m${index}`);
  await using server = await startFaultServer([modelServer([...names, "large-three"])]);
  const { factsOf } = await examine(world, [], { BUB_MODEL: "lab:large-tree", BUB_LAB_API_BASE: server.url });
  expect(factsOf("models")).toEqual([
    {
      name: "lab:large-tree",
      value: `used without a key, at ${server.url}, answers with 21 models, this one not among them`,
    },
    {
      name: "models of lab",
      value: "large-three, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, and 9 more, which ,model offers",
    },
  ]);
});

test("R5.4 doctor --offline sends nothing", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a"])]);
  const env = { BUB_MODEL: "lab:a", BUB_LAB_API_BASE: server.url };
  const { code, factsOf } = await examine(world, ["--offline"], env);
  expect(code).toBe(0);
  expect(factsOf("models")).toEqual([{ name: "lab:a", value: `used without a key, at ${server.url}, not asked` }]);
  expect(server.requests).toEqual([]);
});

test.each([
  [
    "a refused key",
    modelServer(["a"], { key }),
    "lab refused the key from config.yml (401): No such key: check it, or run bub onboard.",
  ],
  [
    "a web page",
    webPage,
    "is no API: it answers with text/html. Does the address end where the API begins, often in /v1?",
  ],
  ["silence", stalled(), "did not answer within 5 s; --offline leaves this out."],
])("R5.4 doctor tells of %s, and exits 1", async (_what, behaviour, sentence) => {
  using world = createCliWorld();
  await using server = await startFaultServer([behaviour]);
  world.file(
    "home/config.yml",
    `model: lab:a\nproviders:\n  lab: { api_base: "${server.url}", api_key: sk-wrong-0123456 }\n`,
  );
  chmodSync(join(world.home, "config.yml"), 0o600);
  const { code, report } = await examine(world);
  expect(code).toBe(1);
  expect(report.problems).toEqual([expect.stringContaining(sentence)]);
});

test("R5.4 doctor on a server that nobody runs", async () => {
  using world = createCliWorld();
  const { port } = await startFaultServer([]).then(async (server) => {
    await server[Symbol.asyncDispose]();
    return server;
  });
  const env = { BUB_MODEL: "lab:a", BUB_LAB_API_BASE: `http://127.0.0.1:${port}/v1` };
  const { code, report } = await examine(world, [], env);
  expect(code).toBe(1);
  expect(report.problems).toEqual([expect.stringContaining("refuses connections: check the address")]);
});

test("R5.1 doctor has a section of each plugin that has something to say", async () => {
  using world = createCliWorld();
  world.file("workspace/.agents/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies.\n---\nDo it.\n");
  world.file("workspace/.agents/agents/scout.md", "---\ndescription: Looks.\n---\nLook.\n");
  world.file("workspace/AGENTS.md", "Be kind.\n");
  const { report, factsOf } = await examine(world, ["--model", world.script("ok")]);
  expect(report.sections.map(({ plugin }) => plugin)).toEqual([
    "storage",
    "environment",
    "prompt",
    "skills",
    "models",
    "approvals",
    "subagents",
  ]);
  expect(factsOf("environment").map(({ name }) => name)).toEqual(["bash", "python3", "git"]);
  expect(factsOf("prompt").map(({ value }) => value)).toEqual(["none", "8 bytes, read into the system prompt"]);
  expect(factsOf("skills")[0]?.value).toBe("2: skill-creator, tidy");
  expect(factsOf("subagents")[0]?.value).toBe("1: scout");
  expect(factsOf("storage")[0]?.value).toBe(`${world.home}, made with the first message`);
  expect(existsSync(world.home)).toBe(false);
});

test("R5.1 doctor tells of programs that are missing, which breaks nothing", async () => {
  using world = createCliWorld();
  const { code, report } = await examine(world, ["--model", world.script("ok")], {
    PATH: "/nowhere",
    BUB_PYTHON: "python9",
  });
  expect(code).toBe(0);
  expect(report.warnings).toEqual([
    "bash is not on PATH: the tool bash uses sh instead.",
    "Python cannot be used as 'python9': there is no such program. Set BUB_PYTHON to a Python 3. Without it, code mode (run_code) fails.",
    "git is not on PATH: agents look at what they changed with it.",
  ]);
});

test("R5.1 doctor --fix closes files to others, and says so; links and their targets stay", async () => {
  using world = createCliWorld();
  const model = world.script("ok");
  await world.run(["run", "hi", "--model", model]);
  const shared = world.file("shared.md", "not ours to close");
  chmodSync(shared, 0o644);
  symlinkSync(shared, join(world.home, "link.md"));
  world.file("home/config.yml", "api_key: sk-0123456789\n");
  for (const path of [world.tapeFile(), join(world.home, "config.yml")]) chmodSync(path, 0o644);
  chmodSync(join(world.home, "tapes"), 0o755);
  const before = await examine(world, ["--model", model]);
  const sentence = `3 files and folders below ${world.home} can be read or changed by others of this machine.`;
  expect(before.report).toMatchObject({ problems: [sentence], fixable: [sentence], fixed: [] });
  expect(before.code).toBe(1);
  const { code, report } = await examine(world, ["--fix", "--model", model]);
  expect({ code, fixed: report.fixed, problems: report.problems }).toEqual({
    code: 0,
    fixed: [`3 files and folders below ${world.home}: now for you alone.`],
    problems: [],
  });
  expect(statSync(world.tapeFile()).mode & 0o777).toBe(0o600);
  expect(statSync(join(world.home, "tapes")).mode & 0o777).toBe(0o700);
  expect(statSync(shared).mode & 0o777).toBe(0o644);
});

test("R5.1 doctor --fix removes marks of dead processes and unfinished files, and nothing that is in use or new", async () => {
  using world = createCliWorld();
  const model = world.script("ok", "again");
  await world.run(["run", "hi", "--model", model]);
  const tapes = join(world.home, "tapes");
  const gone = {
    token: "0123456789abcdef01234567",
    pid: 2 ** 22 + 1,
    host: "elsewhere",
    start_time: "1",
    boot_id: "x",
    pid_namespace: "y",
  };
  const lease = world.tapeFile().replace(/\.jsonl$/, ".lease");
  const old = join(tapes, "index.jsonl.0123456789ab.tmp");
  const young = join(tapes, "index.jsonl.ba9876543210.tmp");
  for (const path of [lease, old, young]) writeFileSync(path, `${JSON.stringify(gone)}\n`, { mode: 0o600 });
  const long = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const path of [lease, old]) utimesSync(path, long, long);
  const { code, report } = await examine(world, ["--fix", "--model", model]);
  expect({ code, fixed: report.fixed, warnings: report.warnings }).toEqual({
    code: 0,
    fixed: ["1 mark of processes that are gone removed.", "1 unfinished file removed."],
    warnings: [],
  });
  expect(readdirSync(tapes).filter((name) => /lease|tmp/.test(name))).toEqual(["index.jsonl.ba9876543210.tmp"]);
  expect(await world.run(["run", "more", "--model", model])).toMatchObject({ code: 0, stdout: "again\n" });
});

test("R5.1 doctor leaves the mark of a run that is on alone", async () => {
  using world = createCliWorld();
  const running = world.start(["run", "hi", "--model", world.script({ text: "I begin.", stall: true })]);
  const lease = world.tapeFile().replace(/\.jsonl$/, ".lease");
  await world.until(lease, 10);
  const { code, report } = await examine(world, ["--fix", "--model", world.script("ok")]);
  expect({ code, fixed: report.fixed, warnings: report.warnings }).toEqual({ code: 0, fixed: [], warnings: [] });
  expect(existsSync(lease)).toBe(true);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
});

test("R5.1 doctor --fix puts sessions that are off the list on it again", async () => {
  using world = createCliWorld();
  const model = world.script("ok");
  await world.run(["run", "hi", "--model", model]);
  const index = join(world.home, "tapes", "index.jsonl");
  const lost = readFileSync(index, "utf8");
  writeFileSync(index, "", { mode: 0o600 });
  const before = await examine(world, ["--model", model]);
  expect(before.report.warnings).toEqual(["The list of sessions lacks 1 tape that can be told by name: cli:local."]);
  expect(before.code).toBe(0);
  const { report } = await examine(world, ["--fix", "--model", model]);
  expect(report.fixed).toEqual(["1 session put on the list again."]);
  const found = JSON.parse(readFileSync(index, "utf8")) as object;
  expect(found).toMatchObject({ session: "cli:local", workspace: world.workspace });
  expect(Object.keys(found)).toEqual(Object.keys(JSON.parse(lost) as object));
});

test("R2.4 doctor tells of instructions that cannot be read", async () => {
  using world = createCliWorld();
  mkdirSync(join(world.workspace, "AGENTS.md"));
  const { code, report } = await examine(world, ["--model", world.script("ok")]);
  expect(code).toBe(1);
  expect(report.problems).toEqual([`${join(world.workspace, "AGENTS.md")} cannot be read, so nothing of it is used.`]);
});

test("R5.1 what cannot be put right stays a problem", async () => {
  using world = createCliWorld();
  const plugin = world.file(
    "own.mjs",
    `const plugin = { name: "own", diagnose: () => ({ title: "Own", facts: [{ name: "flux", value: "low" }], findings: [
      { sentence: "The flux is low.", severity: "problem", fix: async () => { throw new Error("No flux is left.") } },
      { sentence: "The hum is odd.", severity: "warning" }] }) };
    Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
    export default plugin;`,
  );
  const words = ["--plugin", plugin, "--model", world.script("ok")];
  const { code, report, factsOf } = await examine(world, ["--fix", ...words]);
  expect(code).toBe(1);
  expect(report).toMatchObject({
    problems: ["The flux is low. It could not be put right: No flux is left."],
    warnings: ["The hum is odd."],
    plugins: ["own"],
  });
  expect(factsOf("own")).toEqual([{ name: "flux", value: "low" }]);
  const text = (await world.run(["doctor", ...words])).stdout;
  expect(text).toMatch(/\nOwn\n {2}flux {2}low\n[\s\S]*\nbub doctor --fix puts one of these right\.\n$/);
});

test("R1.3 a plugin that fails while it looks is a problem, and the others are heard", async () => {
  using world = createCliWorld();
  const plugin = world.file(
    "own.mjs",
    `const plugin = { name: "own", diagnose: () => { throw new Error("no light") } };
    Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
    export default plugin;`,
  );
  const { code, stderr, report } = await examine(world, ["--plugin", plugin, "--model", world.script("ok")]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(report.problems).toEqual(['plugin "own" failed in diagnose: no light.']);
  expect(report.sections.map((section) => section.plugin)).toContain("storage");
  const odd = world.file(
    "odd.mjs",
    readFileSync(plugin, "utf8").replace('throw new Error("no light")', "return { title: 1 }"),
  );
  const { report: other } = await examine(world, ["--plugin", odd, "--model", world.script("ok")]);
  expect(other.problems).toEqual([
    'plugin "own" failed in diagnose: it answers an object instead of a list of texts, or a section with title, facts and findings.',
  ]);
});

test("R5.4 doctor reports a config.yml that is broken, in JSON too", async () => {
  using world = createCliWorld();
  world.file("home/config.yml", "model: [a\n");
  const { code, stderr, report } = await examine(world);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(report).toMatchObject({ problems: [expect.stringContaining("config.yml is not valid YAML")], tape: null });
  expect((await world.run(["doctor"])).stdout).toMatch(/Problems\n {2}\S+config\.yml is not valid YAML/);
});

test("R5.1 a home that is a file or cannot be looked into is told", async () => {
  using world = createCliWorld();
  mkdirSync(world.home);
  renameSync(world.home, `${world.home}.old`);
  writeFileSync(world.home, "a file", { mode: 0o600 });
  const { code, report } = await examine(world, ["--model", world.script("ok")]);
  expect(code).toBe(1);
  expect(report.problems).toContain(`${world.home} is no folder: nothing can be kept.`);
});

test("R5.1 a file in the place of a folder that is kept is told, also where --fix was asked", async () => {
  using world = createCliWorld();
  const names = ["inbox", "tasks", "shells", "code-mode"];
  for (const name of names) world.file(`home/${name}`, "a file");
  const { code, report } = await examine(world, ["--fix", "--model", world.script("ok")]);
  expect(code).toBe(1);
  for (const name of names)
    expect(report.problems).toContain(
      `${join(world.home, name)} is no folder: what belongs there cannot be kept. Move it away.`,
    );
});

test("R5.1 doctor in a folder that was deleted meanwhile says that the workspace is gone", async () => {
  using world = createCliWorld();
  const script = `cd "$1" && rmdir "$1" && exec "$2" "$3" doctor --json`;
  const folder = join(world.workspace, "gone");
  mkdirSync(folder);
  const env = { PATH: process.env.PATH, BUB_HOME: world.home };
  const { status, stdout } = spawnSync("sh", ["-c", script, "sh", folder, process.execPath, cliFile], {
    env,
    encoding: "utf8",
  });
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({
    status: 1,
    home: world.home,
    problems: ["The workspace . cannot be used: it does not exist."],
  });
});

test("R5.1 the keys of --json are the documented ones", async () => {
  using world = createCliWorld();
  const { report } = await examine(world, ["--model", world.script("ok")]);
  const page = readFileSync(join(root, "docs/cli.md"), "utf8");
  const [, table = ""] = /\n## doctor\n[\s\S]*?\n\| key \|[^\n]*\n\|[-|]+\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const documented = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(
    ([, names = ""]) => names.match(/\w+/g) ?? [],
  );
  expect(Object.keys(report)).toEqual(documented);
});

test.skipIf(missing("tmux"))("R5.1 doctor fits 40 columns, with NO_COLOR without colours (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("home/config.yml", `completion_args: { metadata: { long: "${"word ".repeat(20)}" } }\n`);
  const env = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8", NO_COLOR: "1" };
  using pane = openPane([process.execPath, cliFile, "doctor"], { env, cwd: world.workspace, columns: 40, rows: 200 });
  const screen = await pane.until(/\[exit 1\]/);
  expect(Math.max(...screen.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
  expect(screen).toMatch(/^ {2}max_tokens {2}default {2}16384$/m);
  expect(screen).toMatch(/^Problems\n {2}There is no API key for openrouter:$/m);
  // Nothing was wrapped by the terminal itself.
  expect(pane.scrollback().trimEnd()).toBe(screen);
  expect(pane.screen({ colours: true })).not.toContain("\u001b[");
});
