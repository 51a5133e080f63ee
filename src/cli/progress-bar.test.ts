import { expect, test } from "vitest";
import { widthOf } from "../base/terminal-text.ts";
import type { TextOutput } from "../base/text-output.ts";
import { ProgressBar } from "./progress-bar.ts";

function world({ columns = 80, hasCursor = true } = {}) {
  const written: string[] = [];
  const output: TextOutput = {
    isTerminal: hasCursor,
    hasColours: false,
    hasCursor,
    columns,
    write: (text) => void written.push(text),
  };
  const clock = { ms: 0 };
  const bar = new ProgressBar(output, { label: "exporting", total: 200, now: () => clock.ms });
  return { bar, clock, written };
}

test("R5.1 a bar appears when the work takes longer than a second, ten times a second, and is gone at the end", () => {
  const { bar, clock, written } = world();
  for (const [ms, done] of [
    [999, 10],
    [1_000, 50],
    [1_050, 60],
    [1_100, 100],
  ] as const) {
    clock.ms = ms;
    bar.update(done);
  }
  const [first, second, ...more] = written;
  expect(first).toBe(`\r\x1b[Kexporting ${"█".repeat(8)}${"░".repeat(22)}  25 %`);
  expect(second).toMatch(/exporting █{15}░{15} {2}50 %$/);
  expect(more).toEqual([]);
  bar[Symbol.dispose]();
  bar[Symbol.dispose]();
  expect(written.slice(2)).toEqual(["\r\x1b[K"]);
});

test("R5.1 a bar never fills the last column, however narrow the terminal, nor passes its end", () => {
  for (const columns of [40, 20, 12, 5]) {
    const { bar, clock, written } = world({ columns });
    clock.ms = 2_000;
    bar.update(1_000);
    expect(widthOf((written[0] ?? "").replace("\r\x1b[K", ""))).toBeLessThan(columns);
    if (columns === 40) expect(written[0]).toContain(" 100 %");
  }
});

test("R5.1 where no line can be drawn over there is no bar", () => {
  const { bar, clock, written } = world({ hasCursor: false });
  clock.ms = 5_000;
  bar.update(10);
  bar[Symbol.dispose]();
  expect(written).toEqual([]);
});
