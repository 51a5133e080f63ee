import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { StreamOutput } from "../../base/text-output.ts";
import type { CommandContext } from "../command-context.ts";
import { StopSignals } from "../stop-signals.ts";
import { runTapeExport } from "./tape-export.ts";

function output(isTerminal: boolean): StreamOutput & { written: string } {
  return {
    written: "",
    isTerminal,
    hasColours: false,
    hasCursor: isTerminal,
    columns: 80,
    failure: undefined,
    drained: async () => undefined,
    write(text) {
      this.written += text;
    },
  };
}

/** Exports a tape in a folder of its own, which takes seconds; stderr is a terminal. */
async function exported(toTerminal: boolean, name?: string) {
  const folder = mkdtempSync(join(tmpdir(), "bub-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entries = Array.from({ length: 9 }, (_, at) => ({
    id: at + 1,
    kind: "message",
    payload: { role: "user", content: `message ${at + 1}` },
    meta: {},
    date: "2026-01-02T03:04:05.000Z",
  }));
  const tape = join(folder, "tape.jsonl");
  writeFileSync(tape, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const [stdout, stderr] = [output(toTerminal), output(true)];
  using stop = new StopSignals();
  const env = { HOME: folder, BUB_HOME: join(folder, "home") };
  const context: CommandContext = {
    options: { workspace: folder },
    env,
    stdout,
    stderr,
    stop,
    openStdin: () => process.stdin,
  };
  const file = name === undefined ? undefined : join(folder, name);
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 600;
    return now;
  });
  expect(await runTapeExport([tape], { channel: "cli", chatId: "local", output: file }, context)).toBe(0);
  vi.restoreAllMocks();
  return { shown: stdout.written, told: stderr.written.replaceAll("\r\u001b[K", "<clear>"), file };
}

const bar = /<clear>exporting [█░]+ +\d+ %/;

test("R5.1 an export that the terminal shows has no bar drawn over it", async () => {
  const { shown, told } = await exported(true);
  expect(shown).toContain("message 9");
  expect(told).toBe("");
});

test("R5.1 an export into a pipe shows its bar on the terminal, and nothing of it is left there or in the export", async () => {
  const { shown, told } = await exported(false);
  expect(told).toMatch(bar);
  expect(told).toMatch(/<clear>$/);
  expect(shown).toContain("message 9");
  expect(shown).not.toContain("exporting");
});

test("R5.1 an export into a file shows its bar too, which is gone before the closing sentence", async () => {
  const { shown, told, file = "" } = await exported(true, "talk.md");
  expect(shown).toBe("");
  expect(told).toMatch(bar);
  expect(told).toMatch(/%<clear>bub: \S+talk\.md has 9 entries as markdown, [^\n]*\.\n$/);
  expect(readFileSync(file, "utf8")).toMatch(/message 9\n*$/);
});
