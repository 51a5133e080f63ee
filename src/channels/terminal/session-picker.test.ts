import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { renderChoice } from "./session-choice.ts";
import { SessionPicker } from "./session-picker.ts";
import { createPalette } from "./styled-line.ts";

const choices = [
  { id: "cli:local", title: "fix the adder", age: "3 min" },
  { id: "cli:0badcafe", title: "写一个解析器 please", age: "5 h" },
  { id: "evil\u001b[2J", title: "x", age: "9 d" },
];

function open() {
  const picked: (string | undefined)[] = [];
  const picker = new SessionPicker(choices, createPalette(false), {
    rows: () => 24,
    redraw: () => undefined,
    done: (id) => void picked.push(id),
  });
  const lines = (columns = 80) => picker.render(columns).map((line) => line.replace(CURSOR_MARKER, ""));
  return { picker, picked, lines };
}

test("R5.2 the sessions stand below one another with name, first words and age; Enter takes, Esc does not", () => {
  const { picker, picked, lines } = open();
  expect(lines()[3]).toMatch(/^→ cli:local {2}fix the adder +3 min$/);
  picker.handleInput("\u001b[B");
  expect(lines()[4]).toMatch(/^→ cli:0badcafe .* 5 h$/);
  picker.handleInput("\r");
  picker.handleInput("\u001b");
  expect(picked).toEqual(["cli:0badcafe", undefined]);
});

test("R5.2 typing filters the sessions by name and words, and takes back", () => {
  const { picker, picked, lines } = open();
  for (const key of "ADDER") picker.handleInput(key);
  expect(lines().filter((line) => /^[→ ] /.test(line))).toEqual([expect.stringMatching(/^→ cli:local/)]);
  picker.handleInput("q");
  expect(lines()).toContain("  no session fits");
  picker.handleInput("\r");
  expect(picked).toEqual([]);
  picker.handleInput("\u007f");
  picker.handleInput("\r");
  expect(picked).toEqual(["cli:local"]);
});

test("R5.2 sessions fit into 40 columns, wide characters too, and hostile names are shown, not obeyed", () => {
  const { lines } = open();
  for (const columns of [20, 40, 200]) {
    for (const line of lines(columns)) expect(visibleWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines(columns).join("\n")).not.toContain("\u001b");
  }
  expect(renderChoice(choices[2] ?? { id: "", title: "", age: "now" }, 40)).toContain("evil␛[2J");
});
