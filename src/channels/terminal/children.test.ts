import { expect, test, vi } from "vitest";
import type { SubagentTask } from "../../base/events.ts";
import { Children } from "./children.ts";
import { createPalette } from "./styled-line.ts";

const task = (id: number, description = `task ${id}`) =>
  ({ task_id: `sub-${id}`, description }) as unknown as SubagentTask;

test("running children stand with their labels and times, and are gone when they end", () => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  let redraws = 0;
  const children = new Children(createPalette(false), () => redraws++);
  children.begin(task(1, "count\nthe files"));
  vi.advanceTimersByTime(2_500);
  children.begin(task(2));
  expect(children.render(40)).toEqual(["  subagent count the files 2 s", "  subagent task 2"]);
  expect(redraws).toBe(4);
  expect(children.render(16)[0]?.length).toBeLessThanOrEqual(16);
  children.end(task(1));
  children.end(task(2));
  expect(children.render(40)).toEqual([]);
  expect(children.count).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(redraws).toBe(6);
  vi.useRealTimers();
});

test("many children take four lines", () => {
  const children = new Children(createPalette(false), () => undefined);
  for (let id = 1; id <= 9; id++) children.begin(task(id));
  expect(children.render(40)).toHaveLength(4);
  expect(children.render(40).at(-1)).toBe("  and 6 more");
  children.stop();
});
