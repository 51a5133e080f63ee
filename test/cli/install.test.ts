// `bub install`, `uninstall` and `update` with the real npm, offline, and with one that misbehaves.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  manifestText,
  type PackageFiles,
  pluginPackage,
  writePackage,
  writeProject,
} from "../support/package-project.ts";
import { missing } from "../support/requirements.ts";
import { type CliWorld, createCliWorld } from "../support/run-cli.ts";
import { root } from "../support/source-files.ts";

const warning = "What you install is code that runs on this machine with your rights: install only what you trust.\n";
const offline = { npm_config_offline: "true", npm_config_update_notifier: "false" };

const example = (name: string) => readFileSync(join(root, "examples/bub-polite", name), "utf8");
const polite: PackageFiles = {
  "package.json": manifestText({ ...JSON.parse(example("package.json")), peerDependencies: { bub: "*" } }),
  "plugin.js": example("plugin.js"),
};

const local = (world: CliWorld, name: string, files: PackageFiles) =>
  writePackage(join(world.workspace, "..", name), files);
const dependenciesOf = ({ home }: CliWorld): Record<string, string> =>
  JSON.parse(readFileSync(join(home, "bub-project", "package.json"), "utf8")).dependencies;

test("the package on the page of plugins is the example, word for word", () => {
  const page = readFileSync(join(root, "docs/plugins/README.md"), "utf8");
  expect(page).toContain(`\`\`\`json\n${example("package.json")}\`\`\``);
  expect(page).toContain(`\`\`\`js\n${example("plugin.js")}\`\`\``);
});

describe.skipIf(missing("npm"))("with npm (needs npm)", { timeout: 240_000 }, () => {
  test("R5.1 install takes a folder's plugin into the home, where it takes part; uninstall takes it out again", async () => {
    using world = createCliWorld();
    const folder = local(world, "polite", polite);
    const project = join(world.home, "bub-project");
    const model = world.script("done", "gone");
    expect(await world.run(["install", folder], { env: offline })).toEqual({
      code: 0,
      stdout: "Installed bub-polite 1.0.0: the plugin polite.\n",
      stderr: `${warning}Installing ${folder} into ${project} …\n`,
    });
    expect((await world.run(["run", "hi", "--model", model])).stdout).toBe("done Thank you.\n");
    const hooks = JSON.parse((await world.run(["hooks", "--json"])).stdout);
    expect(hooks.packages).toEqual([{ name: "bub-polite", version: "1.0.0", plugin: "polite" }]);
    expect((await world.run(["doctor"])).stdout).toMatch(/\nInstalled packages\n {2}bub-polite {2}1\.0\.0 {2}polite\n/);
    expect(openFiles(world.home), "nothing there is for others").toEqual([]);

    expect(await world.run(["uninstall", "bub-polit"], { env: offline })).toMatchObject({
      code: 1,
      stderr: "bub: bub-polit is not installed. Did you mean bub-polite?\n",
    });
    expect(await world.run(["uninstall", "bub-polite"], { env: offline })).toMatchObject({
      code: 0,
      stdout: "Removed bub-polite.\n",
    });
    expect((await world.run(["run", "hi", "--model", model])).stdout).toBe("gone\n");
    expect(Object.keys(dependenciesOf(world))).toEqual(["bub"]);
    expect(readdirSync(join(project, "packages"))).toEqual([]);
  });

  test("R5.5 a package that is no plugin for this Bub is taken out again with one sentence, the others stay", async () => {
    using world = createCliWorld();
    const packages = [
      local(world, "polite", polite),
      local(world, "throwing", { ...pluginPackage("throwing", "{}"), "plugin.js": 'throw new Error("no planet")' }),
    ];
    const { code, stdout, stderr } = await world.run(["install", ...packages], { env: offline });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "Installed bub-polite 1.0.0: the plugin polite.\n" });
    expect(stderr.split("\n").filter((line) => line.startsWith("bub:"))).toEqual([
      "bub: throwing 1.0.0 cannot be used: loading it failed: no planet",
    ]);
    expect(Object.keys(dependenciesOf(world))).toEqual(["bub", "bub-polite"]);
    const modules = readdirSync(join(world.home, "bub-project", "node_modules")).filter(
      (name) => !name.startsWith("."),
    );
    expect(modules).toEqual(["bub", "bub-polite"]);
  });

  test("R5.1 update brings back what is missing, and a newer folder takes the place of an older one", async () => {
    using world = createCliWorld();
    const folder = local(world, "polite", polite);
    await world.run(["install", folder], { env: offline });
    const installed = join(world.home, "bub-project", "node_modules", "bub-polite");
    writeFileSync(join(installed, "package.json"), "{");
    expect((await world.run(["update"], { env: offline })).stdout).toBe(
      "Updated bub-polite to 1.0.0: the plugin polite.\n",
    );
    expect((await world.run(["update"], { env: offline })).stdout).toBe(
      "bub-polite came from a file and stays; bub install takes a newer one.\n",
    );
    local(world, "polite", { "package.json": (polite["package.json"] ?? "").replace("1.0.0", "1.1.0") });
    expect((await world.run(["install", folder], { env: offline })).stdout).toBe(
      "Installed bub-polite 1.1.0 in place of 1.0.0: the plugin polite.\n",
    );
  });
});

/** A program called npm that runs these lines of sh, before all others on the PATH. */
function fakeNpm(world: CliWorld, lines: string): Record<string, string> {
  const file = world.file("fake/npm", `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return { PATH: [join(file, ".."), process.env.PATH].join(delimiter) };
}

test("R5.1 update and uninstall do not take a home that cannot be used for one without packages", async () => {
  using world = createCliWorld();
  const env = { BUB_HOME: join(world.file("a-file", ""), "home") };
  for (const words of [["update"], ["uninstall", "bub-polite"]]) {
    const { code, stdout, stderr } = await world.run(words, { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^bub: .*package\.json cannot be used: a part of the path is not a folder\. /);
  }
});

describe("with an npm that misbehaves", () => {
  test("R5.1 without npm one sentence says so", async () => {
    using world = createCliWorld();
    mkdirSync(join(world.home, "empty"), { recursive: true });
    expect(await world.run(["install", "bub-polite"], { env: { PATH: join(world.home, "empty") } })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /\nbub: There is no npm on the PATH\. Plugins are installed by npm, which comes with Node\.js\.\n$/,
      ),
    });
  });

  test("R5.1 when npm fails its last lines are shown, and everything is as it was", async () => {
    using world = createCliWorld();
    writeProject(world.home, { "bub-polite": pluginPackage("bub-polite", '{ name: "polite" }') });
    const env = fakeNpm(
      world,
      'echo "npm error code ENOTFOUND"; printf "npm error \\033[31mno network\\n" >&2; exit 1',
    );
    const { code, stderr } = await world.run(["install", "bub-other@1.2.3"], { env });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${warning}Installing bub-other@1.2.3 into ${world.home}/bub-project …
  npm error code ENOTFOUND
  npm error ␛[31mno network
bub: npm install failed with exit code 1; its last words stand above.
`,
    );
    expect(Object.keys(dependenciesOf(world))).toEqual(["bub-polite", "bub"]);
    expect(readdirSync(join(world.home, "bub-project")).sort()).toEqual(["node_modules", "package.json"]);
  });

  test("R5.1 npm is asked for the newest version that runs on this Node, or for what was named, and for no options of the user's words", async () => {
    using world = createCliWorld();
    writeProject(world.home, { "bub-polite": pluginPackage("bub-polite", '{ name: "polite" }') });
    const log = join(world.workspace, "log");
    const env = { ...fakeNpm(world, `echo "$@" >> "${log}"`), npm_config_global: "true" };
    expect((await world.run(["update"], { env })).stdout).toBe("bub-polite 1.0.0 is the newest.\n");
    expect((await world.run(["install", "bub-polite@0.9.0"], { env })).stdout).toBe(
      "Installed bub-polite 1.0.0: the plugin polite.\n",
    );
    await world.run(["uninstall", "bub-polite"], { env });
    const lines = readFileSync(log, "utf8").split("\n");
    const flags = new RegExp(
      `^(\\w+) --prefix=${world.home}/bub-project --global=false --save --save-exact .* -- (.*)$`,
    );
    expect(lines.map((line) => flags.exec(line)?.slice(1))).toEqual([
      ["install", "bub-polite@*"],
      ["install", "bub-polite@0.9.0"],
      ["uninstall", "bub-polite"],
      undefined,
    ]);
  });

  test("R5.1 scripts that npm runs see no key of a model, neither of a folder's package nor of others", async () => {
    using world = createCliWorld();
    const folder = local(world, "polite", polite);
    const log = join(world.workspace, "log");
    const keys = { OPENAI_API_KEY: "sk-of-a-provider", BUB_API_KEY: "sk-of-bub" };
    const env = { ...fakeNpm(world, `echo "$1 [$OPENAI_API_KEY$BUB_API_KEY]" >> "${log}"`), ...keys };
    await world.run(["install", "bub-other", folder], { env });
    expect(new Set(readFileSync(log, "utf8").trim().split("\n"))).toEqual(new Set(["install []", "pack []"]));
  });

  test("R5.5 a tarball that npm cannot use is one sentence, without npm's own lines", async () => {
    using world = createCliWorld();
    const tarball = world.file("workspace/a.tgz", Uint8Array.of(0x1f, 0x8b));
    const env = fakeNpm(world, 'echo "npm error code EJSONPARSE" >&2; echo "npm error JSON.parse Invalid" >&2; exit 1');
    const { code, stderr } = await world.run(["install", "./a.tgz"], { env });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${warning}Installing ./a.tgz into ${world.home}/bub-project …\nbub: npm cannot use ${tarball}: its package.json is not valid JSON.\n`,
    );
  });

  test("R5.5 a second package with a plugin of the same name is not installed, and both are named", async () => {
    using world = createCliWorld();
    writeProject(world.home, {
      "bub-first": pluginPackage("bub-first", '{ name: "polite" }'),
      "bub-second": pluginPackage("bub-second", '{ name: "polite" }'),
    });
    const { code, stdout, stderr } = await world.run(["install", "bub-second@1.0.0"], {
      env: fakeNpm(world, "exit 0"),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      "bub: bub-second brings the plugin polite, and so does bub-first 1.0.0. Two plugins of one name cannot work together: bub uninstall bub-first first, or leave it at that.\n",
    );
  });

  test("R5.5 where two packages bring plugins of one name, every command says so, and doctor calls it a problem", async () => {
    using world = createCliWorld();
    writeProject(world.home, {
      "bub-first": pluginPackage("bub-first", '{ name: "polite" }'),
      "bub-second": pluginPackage("bub-second", '{ name: "polite" }'),
    });
    const told =
      "The plugin polite of bub-first 1.0.0 gives way to that of bub-second 1.0.0, which has the same name. Remove one of them: bub uninstall bub-first, or bub uninstall bub-second.";
    const run = await world.run(["run", "hi", "--model", world.script("hello")]);
    expect(run).toEqual({ code: 0, stdout: "hello\n", stderr: `bub: ${told}\n` });
    const doctor = await world.run(["doctor", "--offline"]);
    expect(doctor.stdout).toContain(`Problems\n  ${told}\n`);
  });

  test("R5.5 a package that is checked sees no key of a model, as npm's scripts do not", async () => {
    using world = createCliWorld();
    const key = "(process.env.OPENAI_API_KEY ?? process.env.BUB_API_KEY)";
    const body = `{ name: ${key} === undefined ? "nosy" : "thief" }`;
    writeProject(world.home, { "bub-nosy": pluginPackage("bub-nosy", body) });
    const env = { ...fakeNpm(world, "exit 0"), OPENAI_API_KEY: "sk-of-a-provider", BUB_API_KEY: "sk-of-bub" };
    expect(await world.run(["install", "bub-nosy@1.0.0"], { env })).toMatchObject({
      code: 0,
      stdout: "Installed bub-nosy 1.0.0: the plugin nosy.\n",
    });
  });

  test("R5.1 Ctrl-C stops npm and leaves the project as it was", async () => {
    using world = createCliWorld();
    writeProject(world.home, { "bub-polite": pluginPackage("bub-polite", '{ name: "polite" }') });
    const pid = join(world.workspace, "pid");
    const env = fakeNpm(world, `echo $$ > "${pid}.new"; mv "${pid}.new" "${pid}"; exec sleep 600`);
    const running = world.start(["install", "bub-other"], { env });
    const npm = Number(await world.until(pid, 2));
    running.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    expect(() => process.kill(npm, 0)).toThrow("ESRCH");
    expect(Object.keys(dependenciesOf(world))).toEqual(["bub-polite", "bub"]);
    expect(readdirSync(join(world.home, "bub-project")).sort()).toEqual(["node_modules", "package.json"]);
  });

  test("R5.1 an npm that does not stop is killed; the project is put in order by the next install", async () => {
    using world = createCliWorld();
    const project = writeProject(world.home, { "bub-polite": pluginPackage("bub-polite", '{ name: "polite" }') });
    const pid = join(world.workspace, "pid");
    const ignoring = fakeNpm(
      world,
      `trap "" INT; rm package.json; echo $$ > "${pid}.new"; mv "${pid}.new" "${pid}"; while :; do sleep 0.1; done`,
    );
    const running = world.start(["install", "bub-other"], { env: ignoring });
    const npm = Number(await world.until(pid, 2));
    running.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /\nStopping npm …\nnpm did not stop by itself; the next bub install puts the plugin project in order\.\n$/,
    );
    expect(() => process.kill(npm, 0)).toThrow("ESRCH");
    expect(Object.keys(dependenciesOf(world))).toEqual(["bub-polite", "bub"]);
    expect((await world.run(["hooks", "--json"])).stdout).toContain('"plugin":"polite"');
    const env = fakeNpm(world, "exit 0");
    expect((await world.run(["uninstall", "bub-polite"], { env })).stderr).toContain("was interrupted");
    expect(existsSync(join(project, ".before"))).toBe(false);
  });

  test("R5.1 two installs wait for each other", async () => {
    using world = createCliWorld();
    const go = join(world.workspace, "go");
    const log = join(world.workspace, "log");
    const env = fakeNpm(
      world,
      `echo begin >> "${log}"; while [ ! -e "${go}" ]; do sleep 0.05; done; echo end >> "${log}"; exit 1`,
    );
    const first = world.start(["install", "bub-one"], { env });
    await world.until(log, 6);
    const second = world.start(["install", "bub-two"], { env });
    await second.saw(`Waiting for another bub, process ${first.process.pid}, that changes the plugin project …\n`);
    writeFileSync(go, "");
    await Promise.all([first.ended, second.ended]);
    expect(readFileSync(log, "utf8")).toBe("begin\nend\nbegin\nend\n");
  });

  test("R5.1 what a killed install has left is put right by the next one", async () => {
    using world = createCliWorld();
    const project = writeProject(world.home, { "bub-half": pluginPackage("bub-half", '{ name: "half" }') });
    const before = '{"private":true,"dependencies":{"bub-polite":"1.0.0"}}';
    writePackage(join(project, ".before"), { "package.json": before });
    const log = join(world.workspace, "log");
    const env = fakeNpm(world, `echo "$1 $(cat package.json | tr -d '\\n ')" >> "${log}"`);
    const { stderr } = await world.run(["uninstall", "bub-polite"], { env });
    expect(stderr).toBe(
      `An earlier change of the plugin project was interrupted.
Putting the plugin project back as it was …
Removing bub-polite from ${project} …
`,
    );
    const dependencies = '"dependencies":{"bub-polite":"1.0.0","bub":"file:';
    const [repair, removal] = readFileSync(log, "utf8").split("\n");
    expect(repair).toMatch(`install {"private":true,${dependencies}`);
    expect(removal).toMatch(`uninstall {"private":true,${dependencies}`);
    expect(existsSync(join(project, ".before"))).toBe(false);
  });

  test("R5.1 words that name no package, and a home that cannot be used, are one sentence each", async () => {
    using world = createCliWorld();
    const env = fakeNpm(world, "exit 0");
    const said = async (...words: string[]) => (await world.run(words, { env })).stderr.replace(warning, "");
    expect(await said("install")).toBe("bub: bub install needs <package> …: bub install <package> …\n");
    expect(await said("install", "bub")).toBe("bub: bub itself is there for every plugin; it is not installed.\n");
    expect(await said("install", "./nothing")).toBe(`bub: There is no package at ${world.workspace}/nothing.\n`);
    expect(await said("install", "--", "--global")).toBe("bub: --global names no package.\n");
    expect(await said("update", "bub-polite")).toBe("bub: bub-polite is not installed. Nothing is.\n");
    expect(await said("uninstall", "bub-polite")).toBe("bub: bub-polite is not installed. Nothing is.\n");
    expect(await said("update")).toBe("");
    expect(existsSync(world.home), "looking for packages makes no project").toBe(false);
    world.file("home-file", "");
    const blocked = await world.run(["install", "bub-one"], {
      env: { ...env, BUB_HOME: `${world.workspace}/../home-file` },
    });
    expect(blocked.stderr).toMatch(/\nbub: cannot make the folder .*home-file\/bub-project: .*\n$/);
  });
});

/** Files and folders that others could read; what links lead to is not looked at. */
function openFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return [];
    const own = (statSync(path).mode & 0o077) === 0 ? [] : [path];
    return entry.isDirectory() ? [...own, ...openFiles(path)] : own;
  });
}
