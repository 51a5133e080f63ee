// The screen of `bub chat` in a real terminal: while an answer streams, when the window changes, and what stays behind.
import { expect, test } from "vitest";
import { missing } from "../support/requirements.ts";
import { type CliWorld, cliFile, createCliWorld } from "../support/run-cli.ts";
import { openPane, type Pane } from "../support/tmux.ts";

const inTerminal = test.skipIf(missing("tmux"));
const bash = (command: string) => ({ name: "bash", arguments: { command } });

function chat(
  world: CliWorld,
  answers: readonly unknown[],
  { columns = 80, rows = 30, env = {}, words = [] as string[] } = {},
): Pane {
  const own = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8", ...env };
  const command = [process.execPath, cliFile, "chat", ...words, "--model", world.script(...answers)];
  return openPane(command, { env: own, cwd: world.workspace, columns, rows });
}

async function say(pane: Pane, text: string): Promise<void> {
  await pane.until(/^>/m);
  pane.type(text);
  pane.press("Enter");
}

/** Everything that Markdown has, with a mark on each line that has to stay: `m1`, `m2`, … */
function longAnswer(): { text: string; marks: string[] } {
  let count = 0;
  const mark = () => `m${++count}x`;
  const paragraph = () => `${mark()} 三個 **bold** and \`code\` in a paragraph that is long enough to wrap ${mark()}`;
  const parts = [
    `# ${mark()} heading`,
    ...Array.from({ length: 12 }, paragraph),
    Array.from({ length: 30 }, (_, index) => `${index + 1}. ${mark()} item`).join("\n"),
    `\`\`\`ts\n${Array.from({ length: 50 }, () => `const ${mark()} = 1;`).join("\n")}\n\`\`\``,
    `| a | b |\n|---|---|\n${Array.from({ length: 4 }, () => `| ${mark()} | é́ |`).join("\n")}`,
    `> ${mark()} quoted`,
    `${mark()} the end`,
  ];
  const text = parts.join("\n\n");
  return { text, marks: Array.from({ length: count }, (_, index) => `m${index + 1}x`) };
}

function marksOf(text: string): string[] {
  return text.match(/m\d+x/g) ?? [];
}

for (const columns of [40, 80, 200]) {
  inTerminal(`R5.2 a long answer is committed once to the scrollback at ${columns} columns (needs tmux)`, async () => {
    using world = createCliWorld();
    const { text, marks } = longAnswer();
    using pane = chat(world, [{ text, chunk_delay_ms: 2 }], { columns });
    await say(pane, "go");
    await pane.until(/m30x/);
    const during = pane.scrollback();
    expect(marksOf(during)).toEqual(marks.slice(0, marksOf(during).length));
    expect(during).toMatch(/^> *$/m);
    await pane.until(/the end\n\n>/);
    const after = pane.scrollback();
    expect(marksOf(after)).toEqual(marks);
    expect(after.match(/^```/gm)).toHaveLength(2);
    expect(after.match(/^> go$/gm)).toHaveLength(1);
    expect(after).not.toMatch(/answering|thinking/);
  });
}

inTerminal("R5.2 a resize in mid-stream leaves each line once (needs tmux)", async () => {
  using world = createCliWorld();
  const { text, marks } = longAnswer();
  using pane = chat(world, [{ text, chunk_delay_ms: 4 }]);
  await say(pane, "go");
  const sizes: [RegExp, number, number][] = [
    [/m9x/, 40, 30],
    [/m30x/, 120, 30],
    [/m50x/, 60, 20],
    [/m70x/, 80, 35],
  ];
  for (const [when, columns, rows] of sizes) {
    await pane.until(when);
    pane.resize(columns, rows);
  }
  await pane.until(/the end\n\n>/);
  const after = pane.scrollback();
  expect(marksOf(after)).toEqual(marks);
  expect(after.match(/^> go$/gm)).toHaveLength(1);
  expect(after).not.toMatch(/answering|thinking/);
});

inTerminal(
  "R5.2 tool calls get a line with arguments, time and failure, and a spinner while they run (needs tmux)",
  async () => {
    using world = createCliWorld();
    const wait = bash("while [ ! -e go ]; do sleep 0.02; done; exit 3");
    using pane = chat(world, [{ text: "I look.", calls: [wait] }, "Done."], { columns: 120 });
    await say(pane, "hi");
    expect(await pane.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash while .* [1-9]\d* s$/m)).toMatch(/^I look\.$/m);
    world.file("workspace/go", "");
    const screen = await pane.until(/^Done\.\n\n>/m);
    expect(screen).toMatch(/^ {2}bash while .* \(\d.*, failed: command exited with code 3\)$/m);
    expect(screen).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
  },
);

inTerminal("R5.2 the bottom line has model, tokens and cache rate (needs tmux)", async () => {
  using world = createCliWorld();
  const usage = { input_tokens: 2000, output_tokens: 100, cached_tokens: 1500 };
  using pane = chat(world, [{ text: "Done.", usage }], { columns: 120 });
  await say(pane, "hi");
  const screen = await pane.until(/^Done\.\n\n>/m);
  expect(screen).toMatch(/\nscripted:\S+ · 2\.0k in · 100 out · cache 75%$/);
});
