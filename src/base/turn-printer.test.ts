import { expect, test, vi } from "vitest";
import type { StreamEvent, StreamEventBody, SubagentTask } from "./events.ts";
import type { RunId, TurnId } from "./ids.ts";
import type { TextOutput } from "./text-output.ts";
import { TurnPrinter } from "./turn-printer.ts";

const place = { turn_id: "turn-1" as TurnId, run_id: "run-1" as RunId, session_id: "s", step: 1, date: "" };
const event = (body: StreamEventBody): StreamEvent => ({ ...body, ...place });
const say = (delta: string) => event({ type: "text-delta", delta });
const call = event({ type: "tool-call", id: "1", name: "bash", arguments: { command: "ls" } });
const called = event({
  type: "tool-result",
  id: "1",
  name: "bash",
  value: {},
  text: "a\nb\nc",
  is_error: false,
  elapsed_ms: 5,
});
const finished = event({ type: "step-finished", status: "ok" });

/** Both streams of one screen, in the order of writing. */
function screen({ isTerminal = true, hasColours = false } = {}) {
  let text = "";
  const output: TextOutput = {
    isTerminal,
    hasColours,
    hasCursor: isTerminal,
    columns: 40,
    write: (more) => {
      text += more;
    },
  };
  return { output, text: () => text };
}

test("on a terminal the text streams, tool lines stand on lines of their own, and the answer is not repeated", () => {
  const { output, text } = screen();
  using printer = new TurnPrinter({ answers: output, progress: output });
  for (const each of [say("I lo"), say("ok."), call, called, finished, say("Done"), finished]) printer.show(each);
  printer.answer("Done");
  expect(text()).toBe("I look.\n  bash ls (5 ms)\n\nDone\n");
});

test("an answer that a plugin changed is shown after what streamed", () => {
  const { output, text } = screen();
  using printer = new TurnPrinter({ answers: output, progress: output });
  printer.show(say("Done"));
  printer.answer("Done, says the plugin.");
  expect(text()).toBe("Done\nDone, says the plugin.\n");
});

test("R5.0 a pipe gets the answer alone, unchanged, with one newline at its end", () => {
  const answers = screen({ isTerminal: false });
  const progress = screen({ isTerminal: false });
  using printer = new TurnPrinter({ answers: answers.output, progress: progress.output });
  for (const each of [say("I look."), call, called, say("\x1b[1mDone")]) printer.show(each);
  printer.answer("\x1b[1mDone");
  expect(answers.text()).toBe("\x1b[1mDone\n");
  expect(progress.text()).toBe("");
});

test("R5.0 errors and notices are said in any case, an error once", () => {
  const progress = screen({ isTerminal: false });
  using printer = new TurnPrinter({ answers: screen({ isTerminal: false }).output, progress: progress.output });
  printer.show(event({ type: "notice", message: "Trying again in 0.3 s.", is_passing: true }));
  printer.show(event({ type: "notice", message: "The answer was cut.", is_passing: false }));
  printer.show(event({ type: "error", kind: "provider", message: "it broke" }));
  printer.error("it broke");
  expect(progress.text()).toBe("bub: The answer was cut.\nbub: it broke\n");
});

test("hostile text: escape sequences of a model and of a tool reach no terminal", () => {
  const { output, text } = screen();
  using printer = new TurnPrinter({ answers: output, progress: output, resultLines: 2 });
  printer.show(say("\x1b]0;owned\x07"));
  printer.show(call);
  printer.show({ ...called, text: "\x1b[2J\n\u009b\n" } as StreamEvent);
  printer.show(event({ type: "error", kind: "tool", message: "\x1b[1mbad" }));
  printer.answer("\x1b[5m");
  expect(/(?!\n)\p{Cc}/u.test(text())).toBe(false);
});

test("shown results are cut in the middle and say so", () => {
  const { output, text } = screen();
  using printer = new TurnPrinter({ answers: output, progress: output, resultLines: 3 });
  printer.show(call);
  printer.show({ ...called, text: "a\nb\nc\nd\ne\n" } as StreamEvent);
  expect(text()).toBe("  bash ls (5 ms)\n  | a\n  | b\n  | … 2 lines\n  | e\n");
});

test("a status line tells what runs and is gone before anything else is written", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  try {
    const { output, text } = screen();
    using printer = new TurnPrinter({ answers: output, progress: output });
    printer.show(call);
    vi.advanceTimersByTime(2000);
    printer.show(called);
    vi.advanceTimersByTime(5000);
    expect(text()).toBe("\r\x1b[Kbash ls 1.0 s\r\x1b[Kbash ls 2.0 s\r\x1b[K  bash ls (5 ms)\n");
  } finally {
    vi.useRealTimers();
  }
});

test("colours only where the output has them", () => {
  const { output, text } = screen({ hasColours: true });
  using printer = new TurnPrinter({ answers: output, progress: output });
  printer.show(event({ type: "notice", message: "slow", is_passing: true }));
  expect(text()).toBe("\x1b[2mslow\x1b[22m\n");
});

test("a subagent's end is a line of its own, which waits for an answer that streams", () => {
  const { output, text } = screen();
  using printer = new TurnPrinter({ answers: output, progress: output });
  const task = { description: "count", status: "completed", errors: [], started_at: null } as unknown as SubagentTask;
  const ended = event({ type: "subagent-finished", task });
  for (const each of [ended, say("All "), ended, say("done"), finished]) printer.show(each);
  printer.answer("All done");
  expect(text()).toBe("  subagent count (completed)\n\nAll done\n  subagent count (completed)\n");
});
