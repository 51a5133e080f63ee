import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordHeader } from "../../environment/dead-owners.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "bub-environment-plugin-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const env = {
  PATH: process.env.PATH,
  OPENROUTER_API_KEY: "key of the run",
  DEEPINFRA_API_KEY: "key of nobody",
  BUB_TELEGRAM_TOKEN: "token",
  OWN: "mine",
};

function runEnv(provider: string, allow: readonly string[] = []) {
  const folder = newFolder();
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "work", ".env"), "MARK=1\nBUB_OPENROUTER_API_KEY=from-dotenv\nBUB_MAX_STEPS=9\n");
  const model = scriptedModel([callTool("bash", { command: "env" }), say("done")], { provider });
  return testRuntime({
    model,
    environment: null,
    workspace: join(folder, "work"),
    settings: { home: join(folder, "home"), shellEnvAllow: allow },
    env,
  });
}

async function variablesOf(provider: string, allow?: readonly string[]): Promise<Record<string, string>> {
  await using runtime = await runEnv(provider, allow);
  const { toolResults } = await runtime.send("go");
  const lines = (toolResults[0]?.text ?? "").split("\n").map((line) => line.split("="));
  return Object.fromEntries(lines.map(([name = "", ...value]) => [name, value.join("=")]));
}

test("T1.4 commands do not see the key of the run, Bub's keys and tokens, nor what only .env set", async () => {
  const seen = await variablesOf("openrouter");
  expect(seen).toMatchObject({ OWN: "mine", DEEPINFRA_API_KEY: "key of nobody", BUB_OWNER: String(process.pid) });
  for (const name of ["BUB_TELEGRAM_TOKEN", "MARK", "BUB_OPENROUTER_API_KEY", "BUB_MAX_STEPS"]) {
    expect(seen).not.toHaveProperty(name);
  }
});

test("T1.4 the key's own variable is the one that is hidden", async () => {
  const folder = newFolder();
  const model = scriptedModel([callTool("bash", { command: "env" }), say("done")], { provider: "openrouter" });
  await using runtime = await testRuntime({
    model,
    environment: null,
    workspace: folder,
    settings: { home: join(folder, "home") },
    env,
  });
  const { toolResults } = await runtime.send("go");
  expect(toolResults[0]?.text).not.toContain("key of the run");
  expect(await variablesOf("deepinfra")).not.toHaveProperty("DEEPINFRA_API_KEY");
});

test("T1.4 variables of Bub that hold keys are hidden as keys are; without any they are as others", async () => {
  const variables = async (own: Record<string, string>) => {
    const folder = newFolder();
    const model = scriptedModel([callTool("bash", { command: "env" }), say("done")]);
    const settings = { home: join(folder, "home") };
    await using runtime = await testRuntime({
      model,
      environment: null,
      workspace: folder,
      settings,
      env: { ...env, ...own },
    });
    return (await runtime.send("go")).toolResults[0]?.text;
  };
  const seen = await variables({
    BUB_PROVIDERS: '{"lab":{"api_base":"http://127.0.0.1:1","api_key":"sk-lab"}}',
    BUB_CLIENT_ARGS: '{"headers":{"Authorization":"Bearer sk-header"}}',
  });
  expect(seen).not.toMatch(/sk-|BUB_PROVIDERS|BUB_CLIENT_ARGS/);
  const open = await variables({
    BUB_PROVIDERS: '{"lab":{"api_base":"http://127.0.0.1:1"}}',
    BUB_CLIENT_ARGS: '{"headers":{"x-title":"Bub"}}',
  });
  expect(open).toMatch(/^BUB_PROVIDERS=/m);
  expect(open).toMatch(/^BUB_CLIENT_ARGS=/m);
});

test("T1.4 BUB_SHELL_ENV_ALLOW gives names back", async () => {
  expect(await variablesOf("openrouter", ["BUB_TELEGRAM_TOKEN"])).toMatchObject({ BUB_TELEGRAM_TOKEN: "token" });
});

test("T2.9 a start ends what a dead owner left, by its record", async () => {
  const home = newFolder();
  mkdirSync(join(home, "shells"));
  writeFileSync(join(home, "shells", `${process.pid}-1`), `${recordHeader()}bsh-aaaaaaaa\n`);
  await using _runtime = await testRuntime({ settings: { home }, model: scriptedModel([]) });
  await expect.poll(() => readdirSync(join(home, "shells"))).toEqual([]);
});
