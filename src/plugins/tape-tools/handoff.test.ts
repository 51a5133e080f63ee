// tape.handoff and tape.reset: what stands on the tape, and what the next request holds.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { echo, shape } from "../../../test/support/agent-runs.ts";
import { BubError } from "../../base/errors.ts";
import { createFileStorage } from "../../tape/file-store.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

test("T6.6 tape.handoff writes the anchor and its event in one batch; the next turn's context begins after it", async () => {
  const model = scriptedModel([say("old answer"), say("new answer")]);
  await using runtime = await testRuntime({ model });
  await runtime.send("old");
  expect((await runtime.send(",tape.handoff name=phase summary='half done'")).text).toBe("anchor added: phase");
  await runtime.send("new");
  expect(shape(model.requests[1]?.messages)).toEqual(["user: new"]);
  const entries = await runtime.entries();
  const at = entries.findIndex(({ kind, payload }) => kind === "anchor" && payload.name === "phase");
  expect(entries[at]?.payload).toEqual({ name: "phase", state: { summary: "half done" } });
  expect(entries[at + 1]?.payload).toMatchObject({ name: "handoff", data: { name: "phase" } });
  expect(entries.some(({ payload }) => payload.content === "old answer")).toBe(true);
});

test("T6.6 without arguments the anchor is called handoff", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([]) });
  expect((await runtime.send(",tape.handoff")).text).toBe("anchor added: handoff");
  expect((await runtime.send(",tape.anchors")).text).toBe("- session/start\n- handoff");
});

test.each(["tape_handoff", "tape_reset"])(
  "T6.8 %s inside a turn keeps the question and the running step whole, with results that come after it",
  async (tool) => {
    const step = calls(callTool("echo", { text: "before" }), callTool(tool), callTool("echo", { text: "after" }));
    const model = scriptedModel([
      say("old"),
      callTool("echo", { text: "earlier step" }),
      step,
      say("done"),
      say("next"),
    ]);
    await using runtime = await testRuntime({ model, tools: [echo] });
    await runtime.send("old question");
    const turn = await runtime.send("question");
    expect(turn).toMatchObject({ status: "ok", text: "done" });
    const answer = tool === "tape_handoff" ? "tool: anchor added: handoff" : "tool: ok";
    expect(shape(model.requests[3]?.messages)).toEqual([
      "user: question",
      `calls echo,${tool},echo`,
      "tool: before",
      answer,
      "tool: after",
    ]);
    await runtime.send("again");
    expect(shape(model.requests[4]?.messages).slice(0, 2)).toEqual(["user: question", `calls echo,${tool},echo`]);
    const entries = await runtime.entries();
    expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.filter(({ meta }) => meta.carried === true).length).toBeGreaterThan(1);
  },
);

test("T6.7 tape.reset begins anew: session/start, ids from 1, settings and loaded tools gone", async () => {
  const model = scriptedModel([say("one"), say("two")]);
  await using runtime = await testRuntime({ model });
  await runtime.send("first");
  await runtime.send(",code_mode enable=true");
  expect((await runtime.send(",tape.reset")).text).toBe("ok");
  const entries = await runtime.entries();
  expect(entries[0]).toMatchObject({
    id: 1,
    kind: "anchor",
    payload: { name: "session/start", state: { owner: "human" } },
  });
  expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
  await runtime.send("second");
  expect(shape(model.requests[1]?.messages)).toEqual(["user: second"]);
  expect(model.requests[1]?.system).not.toContain("<code_mode>");
});

test("T6.7 archive=true copies the tape and its sidecars first, over no earlier copy", async () => {
  const home = mkdtempSync(join(tmpdir(), "bub-reset-"));
  const big = defineTool({ name: "big", description: "Spill.", run: () => "x".repeat(20_000) });
  const model = scriptedModel([callTool("big"), say("ok")]);
  {
    await using storage = createFileStorage({ home });
    await using runtime = await testRuntime({ model, tools: [big], storage });
    await runtime.send("go");
    const { text } = await runtime.send(",tape.reset archive=true");
    const [, copy = ""] = /^Archived: (.*)$/.exec(text) ?? [];
    expect(copy).toMatch(/\.jsonl\.\d{8}T\d{9}Z\.bak$/);
    expect(readFileSync(copy, "utf8")).toContain("[tool output spilled");
    await runtime.send(",tape.reset archive=true");
    const names = readdirSync(join(home, "tapes"));
    expect(names.filter((name) => name.endsWith(".bak")).length).toBe(4);
    const sidecar = names.find((name) => name.endsWith("__sidecar__spill.jsonl")) ?? "";
    expect(readFileSync(join(home, "tapes", sidecar), "utf8")).not.toContain("spill.chunk");
  }
  rmSync(home, { recursive: true });
});

test("T6.7 if archiving fails nothing is cleared", async () => {
  const model = scriptedModel([say("kept")]);
  await using runtime = await testRuntime({ model });
  await runtime.send("keep me");
  const { tapes } = runtime.storage;
  const open = tapes.open.bind(tapes);
  tapes.open = async (id) => {
    const log = await open(id);
    log.archive = async () => {
      throw new BubError("config", "no space left");
    };
    return log;
  };
  expect((await runtime.send(",tape.reset archive=true")).errors[0]).toContain("no space left");
  expect((await runtime.entries()).some(({ payload }) => payload.content === "kept")).toBe(true);
});

test.each(["tape_handoff", "tape_reset"])("T6.8 a result that is still being written goes with %s", async (tool) => {
  const model = scriptedModel([calls(callTool("echo", { text: "before" }), callTool(tool)), say("done")]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const { tapes } = runtime.storage;
  const open = tapes.open.bind(tapes);
  tapes.open = async (id) => {
    const log = await open(id);
    const append = log.append.bind(log);
    log.append = async (entries) => {
      // Longer than the next call takes to begin.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      await append(entries);
    };
    return log;
  };
  await runtime.send("question");
  expect(shape(model.requests[1]?.messages)).toContain("tool: before");
});
