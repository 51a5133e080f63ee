// A sidecar of a plugin that nobody here knows goes wherever its conversation goes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { PluginSource } from "../src/kernel/plugin.ts";
import { forkSession } from "../src/kernel/session-fork.ts";
import { createFileStorage } from "../src/tape/file-store.ts";
import { say, scriptedModel } from "../src/testing/scripted-model.ts";
import { testRuntime } from "../src/testing/test-runtime.ts";

const example = new URL("../examples/sidecar-plugin/notes.js", import.meta.url);
const { default: notes } = (await import(example.href)) as { default: PluginSource };

async function world(plugins: readonly PluginSource[] = [notes]) {
  const home = mkdtempSync(join(tmpdir(), "bub-notes-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const open = (with_: readonly PluginSource[] = plugins) =>
    testRuntime({ model: scriptedModel([say("hi")]), plugins: with_, storage: createFileStorage({ home }) });
  return { home, open, runtime: await open() };
}

test("R1.4 a plugin's sidecar keeps what the conversation does not show, also over a restart", async () => {
  const { runtime, open } = await world();
  {
    await using _ = runtime;
    expect((await runtime.send(",note.list")).text).toBe("(no notes)");
    expect((await runtime.send(",note.add 'buy milk'")).text).toBe("noted");
    await runtime.send("hello");
    expect(JSON.stringify((await runtime.entries()).filter(({ kind }) => kind === "message"))).not.toContain("milk");
  }
  await using later = await open();
  expect((await later.send(",note.list")).text).toBe("- buy milk");
});

test("R1.4 a name that no plugin gives is no sidecar", async () => {
  const { runtime } = await world([]);
  await using _ = runtime;
  const live = new Promise<Error>((resolve) => {
    runtime.runtime.events.on("run-started", ({ sessionId }) => {
      runtime.runtime.sessions.live(sessionId)?.turn.sidecar("notes").catch(resolve);
    });
  });
  await runtime.send("hello");
  expect((await live).message).toContain('no plugin provides the sidecar "notes" (provideTapeSidecar)');
});

test("T9.4 R3.7 it forks and merges with its conversation", async () => {
  const { runtime } = await world();
  await using _ = runtime;
  await runtime.send(",note.add one");
  await using fork = await forkSession("cli:test", runtime.runtime);
  const inFork = { sessionId: fork.sessionId };
  await runtime.send(",note.add two");
  await runtime.send(",note.add three", inFork);
  expect((await runtime.send(",note.list", inFork)).text).toBe("- one\n- three");
  await fork.merge();
  expect((await runtime.send(",note.list")).text).toBe("- one\n- two\n- three");
});

test("T6.7 T9.4 a reset archives and clears it, also when its plugin is not there any more", async () => {
  const { home, runtime, open } = await world();
  {
    await using _ = runtime;
    await runtime.send(",note.add secret");
  }
  await using without = await open([]);
  expect((await without.send(",tape.reset archive=true")).text).toContain("Archived: ");
  const files = readdirSync(join(home, "tapes")).filter((name) => name.includes("__sidecar__notes.jsonl"));
  const holding = files.filter((name) => readFileSync(join(home, "tapes", name), "utf8").includes("secret"));
  expect(files).toHaveLength(2);
  expect(holding).toEqual([expect.stringMatching(/\.bak$/)]);
});
