// The screen of `bub chat` in a real terminal: while an answer streams, when the window changes, and what stays behind.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chat, chatInShell, longAnswer, marksOf, say } from "../support/chat-pane.ts";
import { missing } from "../support/requirements.ts";
import { cliFile, createCliWorld, messagesOf } from "../support/run-cli.ts";
import { openPane } from "../support/tmux.ts";

const inTerminal = test.skipIf(missing("tmux"));
const bash = (command: string) => ({ name: "bash", arguments: { command } });

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
    expect(after).toMatch(/,help lists commands;\s+Ctrl-C\s+cancels,\s+Ctrl-D leaves\.\n\n> go\n/);
    expect(after.match(/^> go$/gm)).toHaveLength(1);
    expect(after).not.toMatch(/answering|thinking/);
  });
}

for (const start of [40, 80, 200]) {
  inTerminal(`R5.2 a resize in mid-stream leaves each line once, from ${start} columns (needs tmux)`, async () => {
    using world = createCliWorld();
    const { text, marks } = longAnswer();
    using pane = chat(world, [{ text, chunk_delay_ms: 4 }], { columns: start });
    await say(pane, "go");
    const sizes: [RegExp, number, number][] = [
      [/m(?:[5-9]|[12]\d)x/, start === 40 ? 90 : 40, 30],
      [/m[2-5]\dx/, 120, 30],
      [/m[78]\dx/, 60, 20],
      [/m(?:9|10)\dx/, 80, 35],
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
}

const storms = {
  heights: (count: number) => [80, 6 + ((count * 17) % 35)],
  widths: (count: number) => [20 + ((count * 37) % 140), 30],
  "widths and heights": (count: number) => [40 + ((count * 37) % 120), 20 + ((count * 17) % 25)],
} as const;

for (const [of, sizeAt] of Object.entries(storms)) {
  inTerminal(`R5.2 a storm of ${of} in mid-stream leaves each line once (needs tmux)`, async () => {
    using world = createCliWorld();
    const { text, marks } = longAnswer();
    using pane = chat(world, [{ text, chunk_delay_ms: 4 }]);
    await say(pane, "go");
    await pane.until(/m(?:[5-9]|[12]\d)x/);
    for (let count = 0; count < 30; count += 1) {
      const [columns = 80, rows = 30] = sizeAt(count);
      pane.resize(columns, rows);
    }
    pane.resize(80, 30);
    await pane.until(/the end\n\n>/);
    expect(marksOf(pane.scrollback())).toEqual(marks);
  });
}

inTerminal("R5.2 a part that still grows is wrapped anew by any resize, wide characters too (needs tmux)", async () => {
  using world = createCliWorld();
  const lines = Array.from({ length: 20 }, (_, index) => `m${index}x ${"a".repeat(index)}${"三🎉é".repeat(12)}`);
  using pane = chat(world, [{ text: lines.join("\n\n"), stall: true }], { columns: 40 });
  await say(pane, "go");
  await pane.until(/m19x[\s\S]*answering 1 s/);
  for (const [columns, rows] of [
    [31, 20],
    [80, 30],
    [27, 24],
    [40, 30],
  ] as const) {
    pane.resize(columns, rows);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  pane.resize(33, 30);
  pane.press("C-c");
  await pane.until(/^cancelled\n\n>/m);
  const after = pane.scrollback();
  expect(marksOf(after)).toEqual(lines.map((line) => line.split(" ")[0]));
  expect(after.match(/三/g)).toHaveLength(20 * 12);
  expect(after.match(/🎉/gu)).toHaveLength(20 * 12);
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

inTerminal("R5.2 messages are kept for the workspace, readable by their owner only (needs tmux)", async () => {
  using world = createCliWorld();
  {
    using pane = chat(world, ["one", "two"]);
    await say(pane, "the first message");
    await pane.until(/^one\n\n>/m);
    pane.press("C-d");
    await pane.until(/\[exit 0\]/);
  }
  const [file = ""] = readdirSync(join(world.home, "history"));
  expect(statSync(join(world.home, "history", file)).mode & 0o777).toBe(0o600);
  using pane = chat(world, ["again"]);
  await pane.until(/^>/m);
  pane.press("Up");
  await pane.until(/^> the first message$/m);
});

inTerminal(
  "R5.2 a message may have several lines, and a large paste is folded and sent in full (needs tmux)",
  async () => {
    using world = createCliWorld();
    using pane = chat(world, ["you said: {{user}}"], { rows: 60 });
    await pane.until(/^>/m);
    pane.type("one\\");
    pane.press("Enter");
    pane.type("two ");
    await pane.until(/^> one\n {2}two/m);
    pane.paste(Array.from({ length: 30 }, (_, index) => `p${index}`).join("\n"));
    await pane.until(/^ {2}two \[paste #1 \+30 lines\]/m);
    pane.press("Enter");
    await pane.until(/^you said: /m);
    expect(pane.scrollback()).toMatch(/^> one\n {2}two p0\n {2}p1\n[\s\S]* {2}p18\n {2}… 11 more lines$/m);
    expect(messagesOf(world.entries())[0]).toMatch(/one\ntwo p0\np1\n[\s\S]*p29$/);
  },
);

inTerminal("R5.2 Tab completes commands and files (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("workspace/notes/plan.md", "x");
  using pane = chat(world, ["you said: {{user}}"]);
  await pane.until(/^>/m);
  pane.type(",tape.inf");
  await pane.until(/→ ,tape\.info\b/);
  pane.press("Tab");
  await pane.until(/^> ,tape\.info *\n(?!.*,tape)/m);
  pane.press("C-u");
  pane.type("see @no");
  await pane.until(/@notes\/$/m);
  pane.press("Tab");
  await pane.until(/^> see @notes\/ *$/m);
  pane.type("p");
  await pane.until(/@notes\/plan\.md$/m);
  pane.press("Tab");
  await pane.until(/^> see @notes\/plan\.md *$/m);
});

inTerminal("R5.7 a question shows the diff folded past 20 lines and is answered by one key (needs tmux)", async () => {
  using world = createCliWorld();
  const lines = (word: string) => Array.from({ length: 30 }, (_, index) => `${word} ${index}`).join("\n");
  world.file("workspace/a.txt", lines("old"));
  const edit = { name: "fs.edit", arguments: { path: "a.txt", old: lines("old"), new: lines("new") } };
  using pane = chat(world, [{ calls: [edit] }, "Done.", { calls: [edit] }, "Refused."], {
    env: { BUB_APPROVE: "writes" },
    rows: 90,
  });
  await say(pane, "edit");
  const question = await pane.until(/^\[y\]es {2}\[n\]o$/m);
  expect(question).toMatch(/^Allow fs\.edit a\.txt\?$/m);
  expect(question).toMatch(/^… \d+ more lines \(f shows all\)$/m);
  pane.press("f");
  await pane.until(/^\+new 29$/m);
  pane.press("y");
  const screen = await pane.until(/^Done\.\n\n>/m);
  expect(screen).toMatch(/^→ yes$/m);
  expect(readFileSync(join(world.workspace, "a.txt"), "utf8")).toBe(lines("new"));
});

inTerminal("R5.0 @path attaches the file (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("workspace/plan.md", "the plan itself");
  using pane = chat(world, ["Read."]);
  await say(pane, "see @plan.md please");
  await pane.until(/^Read\.\n\n>/m);
  expect(messagesOf(world.entries())[0]).toContain("File plan.md:\\n\\nthe plan itself");
});

inTerminal("R5.2 Ctrl-Z gives the terminal back, and fg returns to what was typed (needs tmux)", async () => {
  using world = createCliWorld();
  using pane = await chatInShell(world, "one");
  pane.type("draft");
  await pane.until(/^> draft/m);
  pane.press("C-z");
  await pane.until(/Stopped[\s\S]*^sh:$/m);
  pane.type("fg");
  pane.press("Enter");
  await pane.until(/fg\n[\s\S]*^> draft/m);
  pane.press("Enter");
  await pane.until(/^one\n\n>/m);
});

inTerminal("R5.2 a message that was typed before chat had begun is sent (needs tmux)", async () => {
  using world = createCliWorld();
  const line = `until [ -e go ]; do sleep 0.02; done; ${process.execPath} ${cliFile} chat --model ${world.script("one")}`;
  const env = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8" };
  using pane = openPane(["sh", "-c", line], { env, cwd: world.workspace });
  pane.type("early");
  pane.press("Enter");
  await pane.until(/^early$/m);
  world.file("workspace/go", "");
  await pane.until(/^> early\n\none\n\n>/m);
});

inTerminal("R5.2 Ctrl-Z in mid-stream: fg goes on drawing, and each line stands there once (needs tmux)", async () => {
  using world = createCliWorld();
  const { text, marks } = longAnswer();
  using pane = await chatInShell(world, { text, chunk_delay_ms: 4 });
  pane.type("go");
  pane.press("Enter");
  await pane.until(/m9x/);
  pane.press("C-z");
  await pane.until(/Stopped[\s\S]*^sh:$/m);
  pane.resize(60, 30);
  pane.type("fg");
  pane.press("Enter");
  await pane.until(/the end\n\n>/);
  expect(marksOf(pane.scrollback())).toEqual(marks);
});

inTerminal("R5.7 Ctrl-C while a question waits cancels the run and changes nothing (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("workspace/a.txt", "one\n");
  const edit = { name: "fs.edit", arguments: { path: "a.txt", old: "one", new: "2" } };
  using pane = chat(world, [{ calls: [edit] }, "Here."], { env: { BUB_APPROVE: "writes" } });
  await say(pane, "edit");
  await pane.until(/^\[y\]es {2}\[n\]o$/m);
  pane.press("C-c");
  expect(await pane.until(/^cancelled\n\n>/m)).not.toContain("Allow");
  pane.type("yes?");
  pane.press("Enter");
  await pane.until(/^Here\.\n\n>/m);
  expect(readFileSync(join(world.workspace, "a.txt"), "utf8")).toBe("one\n");
});

inTerminal("R5.2 an edit is shown as a diff (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("workspace/a.txt", "one\ntwo\nthree\n");
  const edit = { name: "fs.edit", arguments: { path: "a.txt", old: "one\ntwo\nthree", new: "one\n2\nthree" } };
  using pane = chat(world, [{ calls: [edit] }, "Done."]);
  await say(pane, "edit");
  expect(await pane.until(/^Done\.\n\n>/m)).toMatch(/^ {2}fs_edit a\.txt .*\n {5}one\n {4}-two\n {4}\+2\n {5}three$/m);
});

inTerminal("R5.2 reasoning is folded to a line, and ,thinking shows it (needs tmux)", async () => {
  using world = createCliWorld();
  using pane = chat(world, [{ reasoning: "first thought\nsecond thought", text: "Done." }]);
  await say(pane, "think");
  const screen = await pane.until(/^Done\.\n\n>/m);
  expect(screen).toMatch(/^thought for \d+ \w+, 2 lines \(,thinking shows\)$/m);
  expect(screen).not.toContain("second thought");
  await say(pane, ",thinking");
  await pane.until(/^first thought\nsecond thought$/m);
});

inTerminal(
  "hostile text in chat is shown, not obeyed; with NO_COLOR nothing is coloured; 40 columns fit (needs tmux)",
  async () => {
    using world = createCliWorld();
    const hostile = "a\u001b[2Jb\u001b]0;owned\u0007c\u009b31me";
    const answers = [
      { text: hostile, calls: [bash(`true '\u001b[31m' ${"三 wide ".repeat(20)}`)] },
      `**end** ${"三".repeat(60)} end`,
    ];
    using pane = chat(world, answers, { columns: 40, env: { NO_COLOR: "1" } });
    await say(pane, "hi 三é́");
    const screen = await pane.until(/end\n\n>/);
    expect(screen).toContain("> hi 三é́\n");
    expect(screen).toContain("a␛[2Jb␛]0;owned␇c<U+009B>31me");
    expect(screen).toMatch(/^ {2}bash true '␛\[31m' 三 wide.*… \(\d+ ms\)$/m);
    expect(screen.match(/三{5,}/g)?.join("")).toHaveLength(60);
    expect(pane.screen({ colours: true })).not.toContain("\u001b[");
  },
);

inTerminal("R5.2 a dumb terminal gets lines instead of a screen (needs tmux)", async () => {
  using world = createCliWorld();
  using pane = chat(world, ["**plain**"], { term: "dumb" });
  await say(pane, "hi");
  await pane.until(/^\*\*plain\*\*\n>/m);
});
