import { expect, test } from "vitest";
import { callTool, say, scriptedModel } from "../testing/scripted-model.ts";
import { testRuntime } from "../testing/test-runtime.ts";
import { defineTool } from "../tools/define-tool.ts";
import { definePlugin } from "./plugin.ts";
import { runToolset } from "./run-tools.ts";

const named = (name: string) => defineTool({ name, description: "A tool.", run: () => name });

test("R1.4 prepareTools changes a run's tools, is asked once a turn, and who asks for the toolset sees the result", async () => {
  let asked = 0;
  const seen: string[][] = [];
  const plugin = definePlugin({
    name: "preparing",
    prepareTools(tools) {
      asked++;
      return [...tools.filter(({ name }) => name !== "one"), named("two")];
    },
    async systemPrompt(turn) {
      seen.push((await runToolset(turn)).all.map(({ tool }) => tool.name));
      return undefined;
    },
  });
  const model = scriptedModel([callTool("two"), say("done"), say("again")]);
  await using runtime = await testRuntime({ model, tools: [named("one")], plugins: [plugin] });
  const { toolResults } = await runtime.send("go");
  expect(toolResults[0]?.text).toBe("two");
  expect(asked).toBe(1);
  const offered = model.requests[0]?.tools.map(({ name }) => name);
  expect(offered).toContain("two");
  expect(offered).not.toContain("one");
  expect(seen[0]).toContain("two");
  expect(seen[0]).not.toContain("one");
  await runtime.send("go on");
  expect(asked).toBe(2);
});

test("R1.4 a toolset is what the turn's allow-list leaves", async () => {
  const seen: string[][] = [];
  const plugin = definePlugin({
    name: "looking",
    async systemPrompt(turn) {
      seen.push((await runToolset(turn)).offered.map(({ tool }) => tool.name));
      return undefined;
    },
  });
  await using runtime = await testRuntime({ model: scriptedModel([say("ok")]), plugins: [plugin] });
  await runtime.send("go", { allowedTools: ["fs_read"] });
  expect(seen).toEqual([["fs.read"]]);
});
