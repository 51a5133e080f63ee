import { expect, test } from "vitest";
import { BubError } from "../base/errors.ts";
import { renderError, toolErrorOf } from "./render-error.ts";

test("T0.7 a BubError keeps its kind, message and details", () => {
  const thrown = new BubError("not_found", "unknown shell id: x", { details: { id: "x" } });
  expect(toolErrorOf(thrown, "bash_kill")).toEqual({
    kind: "not_found",
    message: "unknown shell id: x",
    details: { id: "x" },
  });
  expect(toolErrorOf(new BubError("temporary", "busy"), "a")).toEqual({ kind: "temporary", message: "busy" });
});

test("T0.7 anything else is the tool's failed execution, its name and message in the details", () => {
  expect(toolErrorOf(new TypeError("x is not a function"), "fs_read")).toEqual({
    kind: "tool",
    message: "Tool 'fs_read' execution failed.",
    details: { error: "TypeError: x is not a function" },
  });
  expect(toolErrorOf("no", "a").details).toEqual({ error: "Error: no" });
  expect(toolErrorOf(undefined, "a").details).toEqual({ error: "Error: undefined" });
});

test("T0.7 the text is [kind] message, then a line for each detail", () => {
  expect(renderError({ kind: "tool", message: "no shell today" })).toBe("[tool] no shell today");
  const details = { error: "E: x", status: 404, gone: undefined, urls: ["a", "ü"], title: "t" };
  expect(renderError({ kind: "provider", message: "failed", details })).toBe(
    '[provider] failed\nerror: E: x\nstatus: 404\nurls: ["a","ü"]\ntitle: "t"',
  );
});

test("T0.7 error, output and traceback are shown as text, several lines below their name", () => {
  const details = { output: "a\nb", traceback: "line 1\nline 2", error: { code: 1 } };
  expect(renderError({ kind: "tool", message: "m", details })).toBe(
    '[tool] m\noutput:\na\nb\ntraceback:\nline 1\nline 2\nerror: {"code":1}',
  );
});
