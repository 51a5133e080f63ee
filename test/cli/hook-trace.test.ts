// `bub hooks --trace`: how long each hook of a turn takes.
import { expect, test } from "vitest";
import { createCliWorld } from "../support/run-cli.ts";

const slow = `
  const plugin = {
    name: "slow",
    systemPrompt: () => new Promise((resolve) => setTimeout(resolve, 60)),
    beforeToolCall: () => undefined,
  };
  Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
  export default plugin;`;

interface Timing {
  plugin: string;
  hook: string;
  count: number;
  total_ms: number;
  slowest_ms: number;
}

test("R1.4 hooks --trace answers one message and tells the calls and times of each plugin's hooks", async () => {
  using world = createCliWorld();
  const plugin = world.file("slow.mjs", slow);
  const call = { calls: [{ name: "tape.info" }, { name: "tape.info" }] };
  const words = ["hooks", "--plugin", plugin, "--session-id", "mine", "--model", world.script(call, "done")];
  const { code, stdout, stderr } = await world.run([...words, "--trace", "hi", "--json"]);
  const { timings } = JSON.parse(stdout) as { timings: Timing[] };
  const timingOf = (name: string, hook: string) => timings.find((row) => row.plugin === name && row.hook === hook);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "done\n" });
  expect(timingOf("slow", "systemPrompt")).toMatchObject({ count: 1 });
  expect(timingOf("slow", "systemPrompt")?.slowest_ms).toBeGreaterThan(50);
  expect(timingOf("slow", "beforeToolCall")).toMatchObject({ count: 2 });
  expect(timingOf("agent", "runModel")?.total_ms).toBeGreaterThan(50);
  expect(timings.map((row) => row.total_ms)).toEqual(timings.map((row) => row.total_ms).sort((a, b) => b - a));
  expect(world.entries("mine").some(({ payload }) => payload.content === "done")).toBe(true);
});

test("R1.4 hooks --trace prints a table, and exits 1 when the turn failed", async () => {
  using world = createCliWorld();
  const good = await world.run(["hooks", "--trace", "hi", "--model", world.script("done")]);
  expect(good.code).toBe(0);
  expect(good.stdout).toMatch(/^ {2}plugin +hook +calls +total ms +slowest ms\n/);
  expect(good.stdout).toMatch(/^ {2}agent +runModel +1 +\d+\.\d +\d+\.\d$/m);
  const bad = await world.run(["hooks", "--trace", ",tape.nothing x", "--model", "nobody:none"]);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toContain("resolveSession");
});
