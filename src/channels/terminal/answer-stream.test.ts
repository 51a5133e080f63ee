import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerStream } from "./answer-stream.ts";
import { createPalette, markdownTheme } from "./styled-line.ts";

const theme = markdownTheme(createPalette(false));

/** What is committed when the text comes in such pieces, and a frame is drawn after each. */
function linesOf(text: string, cuts: readonly number[], columns = 40): string[] {
  const answer = new AnswerStream(theme);
  const lines: string[] = [];
  let start = 0;
  for (const end of [...new Set([...cuts, text.length])].sort((a, b) => a - b)) {
    answer.push(text.slice(start, end));
    lines.push(...answer.takeFinished(columns));
    answer.renderOpen(columns);
    start = end;
  }
  return [...lines, ...answer.end(columns)];
}

const block = fc.constantFrom(
  "# heading",
  "a paragraph with **bold** and `code` that is long enough to be wrapped once or twice",
  "- one\n- two\n- three **x**",
  "1. one\n2. two\n   - deeper\n3. three",
  `\`\`\`ts\n${Array.from({ length: 12 }, (_, index) => `line ${index};`).join("\n")}\n\`\`\``,
  "| a | b |\n|---|---|\n| 1 | 三 |",
  "> quoted\n> again",
  "---",
);

test("R5.2 an answer is committed alike, however it is cut into pieces", () => {
  const answers = fc.array(block, { maxLength: 6 }).map((blocks) => blocks.join("\n\n"));
  const cuts = fc.array(fc.nat(600));
  fc.assert(
    fc.property(answers, cuts, (text, places) => {
      const inside = places.filter((place) => place < text.length);
      // Whether blank lines stand between the items of a list may only be told by its later ones.
      const withoutBlanks = (lines: readonly string[]) => lines.filter((line) => line !== "");
      expect(withoutBlanks(linesOf(text, inside))).toEqual(withoutBlanks(linesOf(text, [])));
    }),
  );
});

test("R5.2 a long code block is committed line by line, between one pair of fences", () => {
  const code = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  const text = `\`\`\`\n${code.join("\n")}\n\`\`\`\n`;
  const answer = new AnswerStream(theme);
  answer.push(text.slice(0, text.indexOf("line 50")));
  const early = answer.takeFinished(80);
  expect(early.length).toBeGreaterThan(40);
  expect(answer.renderOpen(80).length).toBeLessThan(10);
  answer.push(text.slice(text.indexOf("line 50")));
  const late = [...answer.takeFinished(80), ...answer.end(80)];
  expect([...early, ...late]).toEqual(["```", ...code.map((line) => `  ${line}`), "```"]);
});
