import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryEnvironment } from "../../environment/memory.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "bub-work-")));
});
afterEach(() => rmSync(workspace, { recursive: true }));

test("T1.2 by default tools act on this machine, in the workspace", async () => {
  writeFileSync(join(workspace, "a.txt"), "on disk");
  await using runtime = await testRuntime({ model: scriptedModel([]), environment: null, workspace });
  expect((await runtime.send(",fs.read a.txt")).text).toBe("on disk");
  expect((await runtime.send(",pwd")).text).toBe(workspace);
});

test("T1.1 the first plugin that gives an environment wins, once a session, and it is closed when the runtime ends", async () => {
  const asked: string[] = [];
  let closed = 0;
  const plugin = definePlugin({
    name: "boxes",
    provideEnvironment({ sessionId }) {
      asked.push(sessionId);
      const box = createMemoryEnvironment({ files: { "a.txt": `in ${sessionId}` } });
      const close = box[Symbol.asyncDispose].bind(box);
      box[Symbol.asyncDispose] = async () => {
        closed++;
        await close();
      };
      return box;
    },
  });
  {
    await using runtime = await testRuntime({
      model: scriptedModel([]),
      environment: null,
      plugins: [plugin],
      workspace,
    });
    for (const chatId of ["one", "one", "two"]) await runtime.send(",fs.read a.txt", { chatId });
    expect((await runtime.send(",fs.read a.txt", { chatId: "two" })).text).toBe("in cli:two");
    expect(asked).toEqual(["cli:one", "cli:two"]);
    expect(closed).toBe(0);
  }
  expect(closed).toBe(2);
});

test("T1.4 commands see the user's environment, without Bub's keys and what only .env sets", async () => {
  writeFileSync(join(workspace, ".env"), "MARK=1\nBUB_MAX_STEPS=9\nOPENAI_API_KEY=from-dotenv\n");
  await using runtime = await testRuntime({
    model: scriptedModel([]),
    environment: null,
    workspace,
    env: { PATH: process.env.PATH, HOME: workspace, BUB_API_KEY: "sk-123456", BUB_FOO_TOKEN: "t-123456", MINE: "yes" },
  });
  const names = (await runtime.send(",env")).text.split("\n").map((line) => line.split("=")[0]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "HOME", "MINE", "BUB_OWNER", "BUB_SHELL_ID"]));
  for (const name of ["MARK", "BUB_MAX_STEPS", "OPENAI_API_KEY", "BUB_API_KEY", "BUB_FOO_TOKEN"])
    expect(names).not.toContain(name);
});
