import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { conversations } from "../../../test/support/conversations.ts";
import { findingsOf } from "../../kernel/diagnosis.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { calls, callTool, say } from "../../testing/scripted-model.ts";
import { type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";

interface Places {
  readonly home: string;
  readonly user: string;
  readonly workspace: string;
  write(path: string, text: string): void;
}

function places(): Places {
  const root = mkdtempSync(join(tmpdir(), "bub-profiles-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["home", "user", "workspace"]) mkdirSync(join(root, name));
  return {
    home: join(root, "home"),
    user: join(root, "user"),
    workspace: join(root, "workspace"),
    write(path, text) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
  };
}

const optionsOf = ({ home, user, workspace }: Places): TestRuntimeOptions => ({
  settings: { home },
  workspace,
  env: { HOME: user },
});

const profile = (description: string, more = "", body = "") => `---\ndescription: ${description}\n${more}---\n${body}`;

test("T7.12 a profile gives what the call does not say, and its body as further instructions", async () => {
  const place = places();
  place.write(
    "workspace/.agents/agents/reader.md",
    profile(
      "Reads.",
      "model: scripted:small\nreasoning_effort: low\nallowed_tools: [fs.read, web.fetch, nowhere]\nsession: library\n",
      "Read slowly.\n",
    ),
  );
  const model = conversations({
    go: [
      callTool("subagent", { prompt: "by profile", agent: "Reader" }),
      callTool("subagent.wait"),
      callTool("subagent", { prompt: "by call", agent: "reader", session: "temp", allowed_tools: ["fs.write"] }),
      callTool("subagent.wait"),
      say("over"),
    ],
    "by profile": [say("a")],
    "by call": [say("b")],
  });
  await using runtime = await testRuntime({ model, ...optionsOf(place) });
  const tasks: unknown[] = [];
  runtime.runtime.events.on("subagent-finished", ({ task: { session_id: session, model: id, profile: name } }) =>
    tasks.push([session.replace(/sub-.*/, "…"), id, name]),
  );
  const { status } = await runtime.send("go", { allowedTools: ["fs.read", "fs.write", "subagent", "subagent.wait"] });
  expect(status).toBe("ok");
  const [byProfile] = model.of("by profile");
  expect(byProfile?.system.endsWith("\n\nRead slowly.")).toBe(true);
  expect(byProfile?.reasoningEffort).toBe("low");
  expect(byProfile?.tools.map(({ name }) => name)).toEqual(["fs_read"]);
  expect(model.of("by call")[0]?.tools.map(({ name }) => name)).toEqual(["fs_write"]);
  expect(model.of("go")[0]?.system).not.toContain("Read slowly");
  expect(tasks).toEqual([
    ["library", "scripted:small", "reader"],
    ["temp/…", "scripted:small", "reader"],
  ]);
});

test("T7.12 R1.4 the workspace's profile wins over the user's, config.yml's and a plugin's", async () => {
  const place = places();
  place.write("workspace/.agents/agents/a.md", profile("from the workspace"));
  place.write("user/.agents/agents/a.md", profile("not this"));
  place.write("user/.agents/agents/b.md", profile("from the user"));
  place.write(
    "home/config.yml",
    "subagents:\n  profiles:\n    b: {description: not this}\n    c: {description: from config.yml, instructions: Be brief.}\n",
  );
  place.write("plugin/c.md", profile("not this"));
  place.write("plugin/d.md", profile("from a plugin"));
  const files = ["c", "d"].map((name) => ({ name, file: join(dirname(place.home), "plugin", `${name}.md`) }));
  const plugin = definePlugin({ name: "profiles", provideProfiles: () => files });
  const model = conversations({
    go: [callTool("subagent", { prompt: "child", agent: "c" }), say("waiting"), say("over")],
    child: [say("a")],
  });
  await using runtime = await testRuntime({ model, plugins: [plugin], ...optionsOf(place) });
  await runtime.send("go");
  const description = model.of("go")[0]?.tools.find(({ name }) => name === "subagent")?.description;
  expect(description?.split("\n").slice(1)).toEqual([
    "Profiles:",
    "- a: from the workspace",
    "- b: from the user",
    "- c: from config.yml",
    "- d: from a plugin",
  ]);
  expect(model.of("child")[0]?.system).toMatch(/\n\nBe brief\.$/);
});

test("T7.12 a broken profile is named by doctor and once in the log; an unknown one starts nothing", async () => {
  const place = places();
  place.write("workspace/.agents/agents/broken.md", "no front matter");
  place.write("workspace/.agents/agents/sound.md", profile("Fine."));
  place.write("home/config.yml", "subagents:\n  profiles:\n    odd: 5\n");
  const model = conversations({
    go: [
      calls(
        callTool("subagent", { prompt: "x", agent: "broken" }),
        callTool("subagent", { prompt: "x", agent: "sond" }),
      ),
      say("over"),
    ],
  });
  await using runtime = await testRuntime({ model, ...optionsOf(place) });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.map(({ text }) => text.split("\n")[0]).sort()).toEqual([
    "[invalid_input] unknown subagent profile: broken",
    "[invalid_input] unknown subagent profile: sond",
  ]);
  const request = { offline: true, signal: runtime.runtime.ending };
  const answers = await runtime.runtime.hooks.collect("diagnose", runtime.runtime, request);
  const [own] = answers.flatMap(({ plugin, answer }) => (plugin === "subagents" ? [findingsOf(answer)] : []));
  expect(own?.map(({ sentence }) => sentence)).toEqual([
    `A subagent profile is not used: ${join(place.workspace, ".agents/agents/broken.md")} has no front matter between two lines of ---.`,
    "A subagent profile is not used: the profile odd in config.yml has no settings.",
  ]);
  expect(runtime.log.filter((line) => line.includes("broken.md"))).toHaveLength(1);
});
