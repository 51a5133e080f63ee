import { expect, test } from "vitest";
import { createLogger } from "../base/log.ts";
import { renderLogLine } from "./open-runtime.ts";

test("R1.5 a log line for people has its facts and no stack", () => {
  const lines: string[] = [];
  const log = createLogger({ write: (line) => void lines.push(renderLogLine(line)) });
  log.error("hook failed", { plugin: "own", error: new Error("no luck\u001b[2J"), count: 2 });
  expect(lines).toEqual(["bub: error: hook failed plugin=own error=no luck␛[2J count=2"]);
});
