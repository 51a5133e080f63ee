// The questions of `bub onboard` in a real terminal, against a model server on this machine.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Behaviour, startFaultServer } from "../../src/testing/fault-server.ts";
import { modelServer } from "../support/model-list-server.ts";
import { missing } from "../support/requirements.ts";
import { type CliWorld, cliFile, createCliWorld } from "../support/run-cli.ts";
import { openPane, type Pane } from "../support/tmux.ts";

const inTerminal = test.skipIf(missing("tmux"));
const key = "sk-0123456789abcdef";
const many = Array.from({ length: 5000 }, (_, index) => `vendor/model-${index}`);

function onboard(world: CliWorld, { columns = 80, env = {} }: { columns?: number; env?: object } = {}): Pane {
  const own = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8", ...env };
  return openPane([process.execPath, cliFile, "onboard"], { env: own, cwd: world.workspace, columns, rows: 50 });
}

/** Chooses the last one, a server that has no name yet, and gives its address. */
async function chooseServer(pane: Pane, url: string): Promise<void> {
  await pane.until(/Who answers\?[\s\S]*another server/);
  pane.press("Up", "Enter");
  await pane.until(/Address of the API of the server/);
  pane.type(url);
  pane.press("Enter");
  await pane.until(/A short name for it\n\S {2}local/);
  pane.press("Enter");
  await pane.until(/API key of local \(Enter for none\)/);
}

const widthOf = (screen: string) => Math.max(...screen.split("\n").map((line) => line.length));

for (const columns of [40, 80]) {
  inTerminal(
    `R5.1 onboard at ${columns} columns: a key that nobody sees, one of 5,000 models (needs tmux)`,
    async () => {
      using world = createCliWorld();
      await using server = await startFaultServer([modelServer(many, { key })]);
      using pane = onboard(world, { columns });
      await chooseServer(pane, server.url);
      pane.type("sk two words");
      pane.press("Enter");
      await pane.until(/That holds characters/);
      pane.press("C-u");
      pane.type(key);
      pane.press("Enter");
      await pane.until(/Which model of local\?[\s\S]*model-0$/m);
      pane.type("4321");
      await pane.until(/● vendor\/model-4321$/m);
      pane.press("Enter");
      const screen = await pane.until(/\[exit 0\]/);
      expect(screen.replace(/\s*\n(│ {2})?/g, " ")).toMatch(
        /It works: local:vendor\/model-4321 ?answered "ready" after \d/,
      );
      expect(pane.scrollback()).not.toContain(key);
      expect(widthOf(screen)).toBeLessThanOrEqual(columns);
      expect(readFileSync(join(world.home, "config.yml"), "utf8")).toBe(
        `model: local:vendor/model-4321\nproviders:\n  local:\n    type: openai\n    api_base: ${server.url}\n    api_key: ${key}\n`,
      );
    },
  );
}

const questions = ["provider", "api-base", "provider-name", "key", "model"] as const;

for (const [at, question] of questions.entries()) {
  for (const press of ["C-c", "C-d"]) {
    inTerminal(`R5.1 ${press} at the question ${question} leaves everything as it was (needs tmux)`, async () => {
      using world = createCliWorld();
      const before = "# mine\nmax_steps: 9\n";
      const place = world.file("home/config.yml", before);
      await using server = await startFaultServer([modelServer(["a", "b"])]);
      using pane = onboard(world);
      await pane.until(/Who answers\?[\s\S]*another server/);
      if (at > 0) pane.press("Up", "Enter");
      if (at > 0) await pane.until(/Address of the API/);
      if (at > 1) pane.type(server.url);
      if (at > 1) pane.press("Enter");
      if (at > 1) await pane.until(/A short name for it/);
      if (at > 2) pane.press("Enter");
      if (at > 2) await pane.until(/API key of local/);
      if (at > 3) pane.press("Enter");
      if (at > 3) await pane.until(/Which model of local\?/);
      pane.press(press);
      expect(await pane.until(/\[exit \d+\]/)).toMatch(/bub: nothing was changed\.\n\[exit 130\]/);
      expect(readFileSync(place, "utf8")).toBe(before);
    });
  }
}

inTerminal("R5.1 what is there is shown and kept by Enter, in the file too (needs tmux)", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a", "b"], { key })]);
  const before = `# mine\nmodel: lab:b # the good one\nproviders: {lab: {type: openai, api_base: "${server.url}", api_key: ${key}}}\n`;
  const place = world.file("home/config.yml", before);
  using pane = onboard(world, { env: { NO_COLOR: "1" } });
  await pane.until(/● lab /);
  pane.press("Enter");
  await pane.until(/Address of the API of lab\n\S {2}http:\/\/127/);
  pane.press("Enter");
  await pane.until(/API key of lab \(Enter keeps the one from config\.yml\)/);
  pane.press("Enter");
  await pane.until(/● b$/m);
  pane.press("Enter");
  await pane.until(/It works: lab:b answered "ready"[\s\S]*\[exit 0\]/);
  expect(readFileSync(place, "utf8")).toBe(before);
  expect(pane.screen({ colours: true })).not.toContain("\u001b[3");
});

inTerminal("R5.1 a first call that fails is told, and the person decides what is written (needs tmux)", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([modelServer(["a", "b"], { key })]);
  using pane = onboard(world);
  await chooseServer(pane, server.url);
  pane.type("sk-wrong-0123456");
  pane.press("Enter");
  // A refused list is none: the name is typed.
  await pane.until(/There is no list of models: local refused the key[\s\S]*Which model of local\?/);
  pane.type("a");
  pane.press("Enter");
  await pane.until(/refused the key from your answer \(401\)[\s\S]*What now\?/);
  pane.press("Enter");
  await pane.until(/What now\?[\s\S]*Who answers\?[\s\S]*● local/);
  pane.press("Enter");
  await pane.until(/What now\?[\s\S]*Address of the API of local/);
  pane.press("Enter");
  await pane.until(/What now\?[\s\S]*Enter keeps the one from before/);
  pane.type(key);
  pane.press("Enter");
  await pane.until(/What now\?[\s\S]*Which model of local\?[\s\S]*● a$/m);
  expect(existsSync(join(world.home, "config.yml"))).toBe(false);
  pane.press("Enter");
  await pane.until(/It works: local:a answered "ready"[\s\S]*\[exit 0\]/);
});

const hostileList: Behaviour = (response) =>
  void response
    .writeHead(200, { "content-type": "application/json" })
    .end(
      JSON.stringify({ data: [{ id: "evil\u001b[2Jname" }, { id: "three\nlines" }, { id: "fine" }, { id: 7 }, null] }),
    );

inTerminal("hostile text: names of models that a terminal would obey are no choices (needs tmux)", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([hostileList]);
  using pane = onboard(world, { columns: 40 });
  await chooseServer(pane, server.url);
  pane.press("Enter");
  const screen = await pane.until(/● fine$/m);
  expect(screen).toContain("Who answers?");
  expect(screen).not.toMatch(/evil|three|lines$/m);
});

inTerminal("R5.1 Ctrl-C ends a wait for a server that says nothing (needs tmux)", async () => {
  using world = createCliWorld();
  await using server = await startFaultServer([() => undefined]);
  using pane = onboard(world);
  await chooseServer(pane, server.url);
  pane.press("Enter");
  await server.request(1);
  pane.press("C-c");
  expect(await pane.until(/\[exit \d+\]/)).toMatch(/nothing was changed\.\n\[exit 130\]/);
  expect(existsSync(join(world.home, "config.yml"))).toBe(false);
});

inTerminal("R5.1 SIGTERM at a question ends it, with the cursor back and nothing changed (needs tmux)", async () => {
  using world = createCliWorld();
  const env = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8" };
  const script = `echo $$ > pid; exec '${process.execPath}' '${cliFile}' onboard`;
  using pane = openPane(["sh", "-c", script], { env, cwd: world.workspace });
  await pane.until(/Who answers\?[\s\S]*another server/);
  process.kill(Number(readFileSync(join(world.workspace, "pid"), "utf8")), "SIGTERM");
  expect(await pane.until(/\[exit \d+\]/)).toMatch(/bub: nothing was changed\.\n\[exit 143\]/);
  expect(existsSync(world.home)).toBe(false);
});
