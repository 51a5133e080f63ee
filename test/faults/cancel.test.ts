import { expect, test } from "vitest";
import { CancelledError } from "../../src/base/abort.ts";
import { buildContext } from "../../src/plugins/agent/context.ts";
import { calls, callTool, say, scriptedModel } from "../../src/testing/scripted-model.ts";
import { testRuntime } from "../../src/testing/test-runtime.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { long } from "../support/requirements.ts";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

const slow = defineTool({
  name: "slow",
  description: "Take a few turns of the event loop.",
  async run(_args, { signal }) {
    for (let count = 0; count < 3; count++) {
      await tick();
      signal.throwIfAborted();
    }
    return "slow";
  },
});

const script = () => [
  calls(callTool("slow"), callTool("slow")),
  callTool("fs.write", { path: "a.txt", content: "x" }, { text: "now this" }),
  say(["a", "n", "s", "w", "e", "r"]),
];

/** Runs a turn and cancels it after that many turns of the event loop; answers how many there were and how the turn ended. */
async function cancelAfter(ticks: number) {
  const cancel = new AbortController();
  const model = scriptedModel([...script(), ...script(), say("next")]);
  await using runtime = await testRuntime({ model, tools: [slow] });
  let over = false;
  const sent = runtime.send("go", { signal: cancel.signal }).finally(() => {
    over = true;
  });
  let count = 0;
  for (; count < ticks && !over; count++) await tick();
  const aborted = performance.now();
  cancel.abort(new CancelledError());
  const turn = await sent;
  expect(performance.now() - aborted).toBeLessThan(1000);
  expect(turn.events.filter(({ type }) => type === "final")).toHaveLength(1);
  if (!over || turn.status === "cancelled") expect(turn.errors).toEqual([]);

  const entries = await runtime.entries();
  expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
  expect(buildContext(entries).openCalls).toEqual([]);
  await using later = await testRuntime({ model: scriptedModel([say("fine")]), storage: runtime.storage });
  expect((await later.send("again")).text).toBe("fine");
  return { count, status: turn.status };
}

test("R1.7 cancelled at every turn of the event loop, a run ends within a second, its tape pairs, and the next turn works", async () => {
  const { count: whole, status } = await cancelAfter(Number.POSITIVE_INFINITY);
  expect(status).toBe("ok");
  // All of them in the long form, every so many else.
  const stride = long ? 1 : Math.ceil(whole / 80);
  const ends = [];
  for (let ticks = 0; ticks <= whole; ticks += stride) ends.push((await cancelAfter(ticks)).status);
  expect(ends).toContain("cancelled");
}, 60_000);
