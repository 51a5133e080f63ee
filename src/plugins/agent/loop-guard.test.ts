import { expect, test } from "vitest";
import { LoopGuard } from "./loop-guard.ts";

const verdicts = (guard: LoopGuard, count: number, tool = "bash") =>
  Array.from({ length: count }, () => guard.see(tool, { command: "ls" }, "same"));

test("R2.7 the 8th equal call in a row is warned of, the 9th stops the run", () => {
  expect(verdicts(new LoopGuard(8), 9)).toEqual([...Array(7).fill("go"), "warn", "stop"]);
});

test("R2.7 another call, other arguments or another result begin a new row", () => {
  const guard = new LoopGuard(2);
  expect(guard.see("bash", { command: "ls" }, "1")).toBe("go");
  expect(guard.see("bash", { command: "ls" }, "2")).toBe("go");
  expect(guard.see("bash", { command: "pwd" }, "2")).toBe("go");
  expect(guard.see("fs.read", { command: "pwd" }, "2")).toBe("go");
  expect(guard.see("fs.read", { command: "pwd" }, "2")).toBe("warn");
});

test("R2.7 bash.output and subagent.wait do not count, and 0 turns it off", () => {
  expect(new Set(verdicts(new LoopGuard(2), 5, "bash.output"))).toEqual(new Set(["go"]));
  expect(new Set(verdicts(new LoopGuard(2), 5, "subagent.wait"))).toEqual(new Set(["go"]));
  expect(new Set(verdicts(new LoopGuard(0), 50))).toEqual(new Set(["go"]));
});
