import { expect, test } from "vitest";
import { widthOf } from "./terminal-text.ts";
import { renderDuration, renderToolLine } from "./tool-line.ts";

const result = { text: "ok", isError: false, elapsedMs: 1234 };

test("a tool line says what was called and how long it took", () => {
  const args = { timeout_seconds: 5, command: "npm test" };
  expect(renderToolLine({ name: "bash", arguments: args, result }, 80)).toBe("bash npm test timeout_seconds=5 (1.2 s)");
});

test("a failed call says why in the first line of its error", () => {
  const failed = { text: "[tool] command exited with code 1\noutput:\nno", isError: true, elapsedMs: 20 };
  expect(renderToolLine({ name: "bash", arguments: { command: "false" }, result: failed }, 80)).toBe(
    "bash false (20 ms, failed: command exited with code 1)",
  );
});

test("a tool line is one line, whatever the arguments hold, and shows no control", () => {
  const line = renderToolLine({ name: "bash", arguments: { command: "echo 1\n\x1b[2Jecho 2" }, result }, 80);
  expect(line).toBe("bash echo 1 ␛[2Jecho 2 (1.2 s)");
});

test.each([40, 20])("a tool line fits into %i columns and keeps its time", (columns) => {
  const failed = { text: `[tool] ${"reason ".repeat(30)}`, isError: true, elapsedMs: 999 };
  for (const outcome of [result, failed]) {
    const line = renderToolLine({ name: "fs_write", arguments: { path: "三".repeat(50) }, result: outcome }, columns);
    expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(line).toMatch(/\((1\.2 s|999 ms)/);
  }
});

test.each([
  [0.4, "0 ms"],
  [999, "999 ms"],
  [1500, "1.5 s"],
  [34_400, "34 s"],
  [125_000, "2 min 5 s"],
])("%d ms reads as %s", (milliseconds, text) => {
  expect(renderDuration(milliseconds)).toBe(text);
});
