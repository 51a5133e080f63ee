import * as v from "valibot";
import { expect, test, vi } from "vitest";
import { BubError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { silentLogger } from "../base/log.ts";
import { parseCall } from "./call.ts";
import { defineTool } from "./define-tool.ts";
import { type CallContext, executeCall } from "./execute.ts";
import type { Interception, Outcome, Verdict } from "./interception.ts";
import { recordedResult, type ToolOutcome } from "./outcome.ts";
import type { Tool, ToolContext, ToolDefinition } from "./tool.ts";
import { createToolset } from "./toolset.ts";

const input = v.strictObject({ text: v.string(), times: v.optional(v.number(), 1) });
type Repeat = ToolDefinition<typeof input, { text: string }>;

function repeat(changes: Partial<Repeat> = {}): Tool {
  return defineTool({
    name: "demo.repeat",
    description: "",
    input,
    run: ({ text, times }) => ({ text: text.repeat(times) }),
    render: ({ text }) => `<${text}>`,
    ...changes,
  });
}

function world(tools: readonly Tool[], changes: Partial<CallContext> = {}): CallContext {
  const toolset = createToolset(tools.map((tool) => ({ tool, plugin: "demo" })));
  const unused = {} as ToolContext["turn"] & ToolContext["environment"];
  const { signal } = new AbortController();
  const clock = { now: () => new Date(0) };
  return { turn: unused, environment: unused, origin: "model", toolset, signal, clock, log: silentLogger, ...changes };
}

const call = (args: unknown, name = "demo_repeat") =>
  parseCall({ id: "c1", name, arguments: typeof args === "string" ? args : JSON.stringify(args) });

function answer(verdict: Verdict): Pick<Interception, "before"> {
  return { before: async () => verdict };
}

test("T0.11 a call is checked, judged, run, passed on, rendered and spilled, in this order", async () => {
  const order: string[] = [];
  const tool = repeat({
    run: ({ text }) => {
      order.push(`run ${text}`);
      return { text };
    },
    render: ({ text }) => {
      order.push("render");
      return text;
    },
  });
  const outcome = await executeCall(call({ text: "a", times: "2" }), world([tool]), {
    before: async ({ args }) => {
      order.push(`before ${JSON.stringify(args)}`);
      return { action: "proceed" };
    },
    after: async ({ args }, { ok }) => {
      order.push(`after ${JSON.stringify(args)} ${ok}`);
      return { ok: true, value: { text: "changed" } };
    },
    spill: async (settled) => {
      order.push(`spill ${settled.text}`);
      return settled;
    },
  });
  const args = '{"text":"a","times":2}';
  expect(order).toEqual([`before ${args}`, "run a", `after ${args} true`, "render", "spill changed"]);
  expect(outcome).toEqual({
    id: "c1",
    name: "demo_repeat",
    value: { text: "changed" },
    content: "changed",
    text: "changed",
    isError: false,
    status: "ok",
    elapsedMs: 0,
  });
});

test("T0.5 invalid arguments are an error with the alias and every issue; nothing is asked, nothing runs", async () => {
  const run = vi.fn(() => ({ text: "" }));
  const before = vi.fn(async () => ({ action: "proceed" }) as const);
  const outcome = await executeCall(call({ times: "x", more: 1 }), world([repeat({ run })]), { before });
  const errors = [
    { path: "text", message: "is required" },
    { path: "more", message: "unknown parameter; known: text, times" },
    { path: "times", message: 'Expected number but received "x"' },
  ];
  const error = {
    kind: "invalid_input",
    message: "Tool 'demo_repeat' argument validation failed.",
    details: { errors },
  };
  expect(outcome).toMatchObject({ isError: true, status: "error", value: null, error });
  expect(outcome.text).toBe(`[invalid_input] ${error.message}\nerrors: ${JSON.stringify(errors)}`);
  expect(recordedResult(outcome)).toEqual(error);
  expect(run).not.toHaveBeenCalled();
  expect(before).not.toHaveBeenCalled();
});

test("T0.6 a call with unreadable arguments gets that error as its result and runs nothing", async () => {
  const run = vi.fn(() => ({ text: "" }));
  const outcome = await executeCall(call('{"text":"a'), world([repeat({ run })]));
  expect(outcome).toMatchObject({
    status: "error",
    error: { kind: "invalid_input", details: { raw: '{"text":"a' } },
  });
  expect(run).not.toHaveBeenCalled();
});

test("T0.9 an unknown name is no error: the result is guidance", async () => {
  const outcome = await executeCall(call({ text: "a" }, "demo_repaet"), world([repeat()]));
  expect(outcome).toMatchObject({ name: "demo_repaet", isError: false, status: "ok" });
  expect(outcome.text).toBe("Unknown tool 'demo_repaet'. Did you mean demo_repeat?");
});

test("T8.3 an unknown name in code is an error", async () => {
  const outcome = await executeCall(call({}, "nope"), world([repeat()], { origin: "code" }));
  expect(outcome).toMatchObject({ isError: true, error: { kind: "not_found", message: "unknown tool: nope" } });
});

test("T0.11 beforeToolCall may change the arguments, and those are checked again", async () => {
  const proceed = (args: JsonObject) => answer({ action: "proceed", args });
  const changed = await executeCall(call({ text: "a" }), world([repeat()]), proceed({ text: "b", times: "3" }));
  expect(changed.text).toBe("<bbb>");
  const seen: unknown[] = [];
  const after: Interception["after"] = async ({ args }, outcome) => {
    seen.push(args);
    return outcome;
  };
  const wrong = await executeCall(call({ text: "a" }), world([repeat()]), { ...proceed({ text: 5 }), after });
  expect(wrong.error).toMatchObject({ kind: "invalid_input", details: { errors: [{ path: "text" }] } });
  expect(seen).toEqual([{ text: 5 }]);
});

test("T0.11 beforeToolCall may replace the value: the tool does not run", async () => {
  const run = vi.fn(() => ({ text: "" }));
  const replaced = await executeCall(
    call({ text: "a" }),
    world([repeat({ run })]),
    answer({ action: "replace", value: { text: "x" } }),
  );
  expect(replaced).toMatchObject({ value: { text: "x" }, text: "<x>", status: "ok" });
  expect(run).not.toHaveBeenCalled();
});

test("T0.11 text in place of a value is shown as it is, not as the tool would render its own", async () => {
  const byBefore = await executeCall(
    call({ text: "a" }),
    world([repeat()]),
    answer({ action: "replace", value: "as it is" }),
  );
  expect(byBefore).toMatchObject({ value: "as it is", text: "as it is" });
  const byAfter = await executeCall(call({ text: "a" }), world([repeat()]), {
    after: async () => ({ ok: true, value: "hidden" }),
  });
  expect(byAfter.text).toBe("hidden");
  const kept: Interception["after"] = async (_, outcome) => ({ ...outcome });
  const untouched = await executeCall(call({ text: "a" }), world([repeat()]), { after: kept });
  expect(untouched.text).toBe("<a>");
  const both = await executeCall(call({ text: "a" }), world([repeat()]), {
    ...answer({ action: "replace", value: "x" }),
    after: kept,
  });
  expect(both.text).toBe("x");
});

test("T0.11 beforeToolCall may deny: the reason is the caller's error", async () => {
  const run = vi.fn(() => ({ text: "" }));
  const denied = await executeCall(
    call({ text: "a" }),
    world([repeat({ run })]),
    answer({ action: "deny", reason: "no shell today" }),
  );
  expect(denied).toMatchObject({
    status: "error",
    text: "[tool] no shell today",
    error: { kind: "tool", message: "no shell today" },
  });
  expect(run).not.toHaveBeenCalled();
});

test("T0.11 every outcome passes afterToolCall: denied, invalid, unknown and failed ones too", async () => {
  const passed: [string, Outcome["ok"]][] = [];
  const after: Interception["after"] = async ({ name }, outcome) => {
    passed.push([name, outcome.ok]);
    return { ok: true, value: "passed" };
  };
  const broken = repeat({ name: "broken", run: () => Promise.reject(new Error("x")) });
  const context = world([repeat(), broken]);
  const outcomes = [
    await executeCall(call({ text: "a" }), context, { after, ...answer({ action: "deny", reason: "no" }) }),
    await executeCall(call({}), context, { after }),
    await executeCall(call("["), context, { after }),
    await executeCall(call({}, "zebra"), context, { after }),
    await executeCall(call({ text: "a" }, "broken"), context, { after }),
  ];
  expect(passed).toEqual([
    ["demo.repeat", false],
    ["demo.repeat", false],
    ["demo.repeat", false],
    ["zebra", true],
    ["broken", false],
  ]);
  expect(outcomes.map(({ text, isError }) => [text, isError])).toEqual(Array(5).fill(["passed", false]));
});

test("T0.11 ask puts the question to a person; the first choice proceeds, others deny", async () => {
  const asked = answer({ action: "ask", question: "Repeat it?", choices: ["yes", "no"] });
  const ask = vi.fn(async (): Promise<string | undefined> => "yes");
  const context = world([repeat()]);
  expect((await executeCall(call({ text: "a" }), context, { ...asked, ask })).text).toBe("<a>");
  expect(ask).toHaveBeenCalledWith("Repeat it?", ["yes", "no"], context.signal, { callId: "c1" });
  ask.mockResolvedValue("no");
  expect((await executeCall(call({ text: "a" }), context, { ...asked, ask })).text).toBe(
    "[tool] demo.repeat was refused: no",
  );
});

test("T0.11 ask means deny where nobody can answer", async () => {
  const asked = answer({ action: "ask", question: "Repeat it?", choices: ["yes", "no"] });
  const sentence = "[tool] demo.repeat needs an answer that nobody here can give: Repeat it?";
  expect((await executeCall(call({ text: "a" }), world([repeat()]), asked)).text).toBe(sentence);
  const ask = async () => undefined;
  expect((await executeCall(call({ text: "a" }), world([repeat()]), { ...asked, ask })).text).toBe(sentence);
});

test("T0.11 an asking plugin may say what each choice means", async () => {
  const decide = (choice: string): Verdict =>
    choice === "once"
      ? { action: "proceed", args: { text: "b" } }
      : { action: "ask", question: "Sure?", choices: ["once"], decide };
  const asked = answer({ action: "ask", question: "Repeat it?", choices: ["later", "once"], decide });
  const answers = ["later", "once"];
  const outcome = await executeCall(call({ text: "a" }), world([repeat()]), {
    ...asked,
    ask: async () => answers.shift(),
  });
  expect(outcome.text).toBe("<b>");
  expect(answers).toEqual([]);
});

test("T0.11 a beforeToolCall that throws fails the call closed, with its sentence", async () => {
  const run = vi.fn(() => ({ text: "" }));
  const before = async () => Promise.reject(new Error("plugin 'guard' failed in beforeToolCall: boom"));
  const outcome = await executeCall(call({ text: "a" }), world([repeat({ run })]), { before });
  expect(outcome.text).toBe("[tool] plugin 'guard' failed in beforeToolCall: boom");
  expect(outcome.status).toBe("error");
  expect(run).not.toHaveBeenCalled();
});

test("T0.11 an afterToolCall that throws is logged and skipped", async () => {
  const error = vi.fn();
  const log = { ...silentLogger, error };
  const after = async () => Promise.reject(new Error("boom"));
  const outcome = await executeCall(call({ text: "a" }), world([repeat()], { log }), { after });
  expect(outcome.text).toBe("<a>");
  expect(error).toHaveBeenCalledOnce();
});

test("T0.11 calls from code stop before render", async () => {
  const render = vi.fn(() => "rendered");
  const spill = vi.fn();
  const tools = [
    repeat({ render }),
    defineTool({ name: "run_code", description: "", exposure: "direct", run: () => 0 }),
  ];
  const toolset = createToolset(
    tools.map((tool) => ({ tool, plugin: "demo" })),
    { codeMode: true },
  );
  const outcome = await executeCall(call({ text: "a" }), world([], { origin: "code", toolset }), { spill });
  expect(outcome).toMatchObject({ value: { text: "a" }, content: "", text: "", status: "ok" });
  expect(render).not.toHaveBeenCalled();
  expect(spill).not.toHaveBeenCalled();
});

test("T9.1 a person's command does not spill", async () => {
  const spill = vi.fn(async (outcome: ToolOutcome) => outcome);
  await executeCall(call({ text: "a" }, "demo.repeat"), world([repeat()], { origin: "command" }), { spill });
  expect(spill).not.toHaveBeenCalled();
  await executeCall(call({ text: "a" }), world([repeat()]), { spill });
  expect(spill).toHaveBeenCalledOnce();
});

test("T10.4 deciders see who called", async () => {
  const origins: string[] = [];
  const before: Interception["before"] = async ({ origin, plugin }) => {
    origins.push(`${origin} ${plugin}`);
    return { action: "proceed" };
  };
  await executeCall(call({ text: "a" }, "demo.repeat"), world([repeat()], { origin: "command" }), { before });
  await executeCall(call({ text: "a" }), world([repeat()]), { before });
  expect(origins).toEqual(["command demo", "model demo"]);
});

test("T0.7 what a tool throws becomes the call's error", async () => {
  const missing = new BubError("not_found", "no such page", { details: { url: "x" } });
  const known = await executeCall(call({ text: "a" }), world([repeat({ run: () => Promise.reject(missing) })]));
  expect(known).toMatchObject({ status: "error", text: '[not_found] no such page\nurl: "x"' });
  const unknown = await executeCall(
    call({ text: "a" }),
    world([
      repeat({
        run: () => {
          throw new RangeError("too far");
        },
      }),
    ]),
  );
  expect(unknown.text).toBe("[tool] Tool 'demo_repeat' execution failed.\nerror: RangeError: too far");
});

test("T0.8 the signal reaches the tool, and an error after it is the outcome cancelled", async () => {
  const controller = new AbortController();
  const run: Repeat["run"] = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const running = executeCall(call({ text: "a" }), world([repeat({ run })], { signal: controller.signal }));
  await vi.waitFor(() => controller.abort());
  const outcome = await running;
  expect(outcome).toMatchObject({ status: "cancelled", isError: true, text: "[tool] cancelled" });
  expect(recordedResult(outcome)).toEqual({ kind: "tool", message: "cancelled" });
});

test("R1.7 a call that finished in spite of the cancel keeps its result", async () => {
  const controller = new AbortController();
  const run: Repeat["run"] = ({ text }) => {
    controller.abort();
    return { text };
  };
  const outcome = await executeCall(call({ text: "a" }), world([repeat({ run })], { signal: controller.signal }));
  expect(outcome).toMatchObject({ status: "ok", text: "<a>" });
});

test("R1.7 a person who cancels at the question runs nothing", async () => {
  const controller = new AbortController();
  const run = vi.fn(() => ({ text: "" }));
  const asked = answer({ action: "ask", question: "?", choices: ["yes"] });
  const ask = async () => {
    controller.abort();
    return "yes";
  };
  const context = world([repeat({ run })], { signal: controller.signal });
  expect((await executeCall(call({ text: "a" }), context, { ...asked, ask })).status).toBe("cancelled");
  expect(run).not.toHaveBeenCalled();
});

test("R1.7 a question that ends with the cancel is no refusal: the call was cancelled", async () => {
  const controller = new AbortController();
  const ask = async () => {
    controller.abort();
    throw controller.signal.reason;
  };
  const asked = answer({ action: "ask", question: "?", choices: ["yes"] });
  const context = world([repeat()], { signal: controller.signal });
  const outcome = await executeCall(call({ text: "a" }), context, { ...asked, ask });
  expect(outcome).toMatchObject({ status: "cancelled", text: "[tool] cancelled" });
});

test("T0.10 media go to the model as parts and into words for people", async () => {
  const part = { type: "image", media_type: "image/png", data: "AA==", bytes: 1, width: 2, height: 3 } as const;
  const tool = repeat({ render: () => [{ type: "text", text: "see" }, part] });
  const outcome = await executeCall(call({ text: "a" }), world([tool]));
  expect(outcome.content).toEqual([{ type: "text", text: "see" }, part]);
  expect(outcome.text).toBe("see\n[image: image/png, 2x3, 1 bytes]");
  expect(recordedResult(outcome)).toEqual({ type: "tool_content", content: outcome.content });
});

test("R3.2 a result is recorded as text, as an error, and as what stands for an error that was moved away", async () => {
  const fine = await executeCall(call({ text: "a" }), world([repeat()]));
  expect(recordedResult(fine)).toBe("<a>");
  const failing = world([repeat({ run: () => Promise.reject(new BubError("tool", "long")) })]);
  const spill = async (outcome: ToolOutcome) => ({ ...outcome, text: "preview", content: "preview" });
  expect(recordedResult(await executeCall(call({ text: "a" }), failing, { spill }))).toBe("preview");
});

test("a tool that cannot render its value shows it as JSON", async () => {
  const render = () => {
    throw new Error("no");
  };
  const outcome = await executeCall(call({ text: "a" }), world([repeat({ render })]));
  expect(outcome).toMatchObject({ status: "ok", text: '{"text":"a"}' });
});

test("the elapsed time is the clock's", async () => {
  let now = 1_000;
  const clock = { now: () => new Date(now) };
  const run: Repeat["run"] = ({ text }) => {
    now += 250;
    return { text };
  };
  expect((await executeCall(call({ text: "a" }), world([repeat({ run })], { clock }))).elapsedMs).toBe(250);
});
