import { expect, test } from "vitest";
import { testRuntime } from "../../testing/test-runtime.ts";

test("T0.3 the tape tools are for models, code and people; those that move the context run alone", async () => {
  await using runtime = await testRuntime();
  const tools = runtime.runtime.tools.filter(({ plugin }) => plugin === "tape-tools").map(({ tool }) => tool);
  expect(tools.map(({ name }) => name).sort()).toEqual([
    "tape.anchors",
    "tape.handoff",
    "tape.info",
    "tape.reset",
    "tape.search",
  ]);
  expect(tools.filter(({ exposure, deferred }) => exposure !== "auto" || deferred)).toEqual([]);
  expect(
    tools
      .filter(({ exclusive }) => exclusive)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["tape.handoff", "tape.reset"]);
});
