// Working in `bub chat` in a real terminal: the shell, pictures, sessions, what it costs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../src/base/processes.ts";
import { chat, say } from "../support/chat-pane.ts";
import { missing } from "../support/requirements.ts";
import { createCliWorld, messagesOf, tapeFiles } from "../support/run-cli.ts";

const inTerminal = test.skipIf(missing("tmux"));
const idle = /\n>\n[^\n]*$/;

/** A PNG file of so many pixels, as far as a reader of its head can tell. */
function picture(width: number, height: number): Buffer {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const rest = "080200000000000000" + "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082";
  return Buffer.concat([head, size, Buffer.from(rest, "hex")]);
}

/** Resolves when there is no such process any more. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

for (const columns of [40, 80, 200]) {
  inTerminal(`R5.2 shell mode shows the output as it is, at ${columns} columns (needs tmux)`, async () => {
    using world = createCliWorld();
    using pane = chat(world, ["I have seen it."], { columns });
    await pane.until(/^>/m);
    pane.type("!printf '# no *heading*\\n- three\\n'; printf '\\033[31mred\\033[0m\\n'");
    await pane.until(/^a shell command of yours/m);
    pane.press("Enter");
    const screen = await pane.until(/^␛\[31mred␛/m);
    expect(screen.match(/^# no \*heading\*\n- three\n␛\[31mred␛\[0m$/gm)).toHaveLength(1);
    await say(pane, "and?");
    await pane.until(/^I have seen it\.\n\n>/m);
    const [told, said] = messagesOf(world.entries()).slice(-2);
    expect(told).toMatch(/^<shell-command by="user">\n\$ printf [\s\S]*- three\n[\s\S]*<\/shell-command>$/);
    expect(said).toMatch(/and\?$/);
    expect(pane.scrollback().match(/- three/g)).toHaveLength(2);
  });
}

inTerminal("R5.2 a shell command waits for the end of the run; one behind a backslash is a message", async () => {
  using world = createCliWorld();
  const wait = { name: "bash", arguments: { command: "touch ready; while [ ! -e go ]; do sleep 0.02; done" } };
  using pane = chat(world, [{ calls: [wait] }, "Ended.", "you said: {{user}}"]);
  await say(pane, "wait");
  await world.until("ready");
  pane.type("!echo by hand");
  pane.press("Enter");
  await pane.until(/waits for the end of the run/);
  world.file("workspace/go", "");
  await pane.until(/^Ended\.\n[\s\S]*^by hand$/m);
  await pane.until(idle);
  await say(pane, "\\!echo said");
  await pane.until(/^you said: !echo said$/m);
});

inTerminal("R5.2 Ctrl-C ends a shell command that ignores it, and nothing is left of it (needs tmux)", async () => {
  using world = createCliWorld();
  using pane = chat(world, ["Still here."]);
  await pane.until(/^>/m);
  pane.type("!trap '' TERM INT; echo $$ > pid; while true; do sleep 0.05; done");
  pane.press("Enter");
  const pid = Number(await world.until("pid", 2));
  pane.press("C-c");
  await pane.until(/^cancelled$/m);
  await gone(pid);
  await say(pane, "hi");
  await pane.until(/^Still here\.\n\n>/m);
});

inTerminal("R5.2 a pasted path to a picture is attached, and shown as such (needs tmux)", async () => {
  using world = createCliWorld();
  const path = world.file("my shot.png", picture(40, 30));
  using pane = chat(world, ["Red."], { columns: 120 });
  await pane.until(/^>/m);
  pane.type("what colour is");
  pane.paste(path.replaceAll(" ", "\\ "));
  await pane.until(/^> what colour is @".*my shot\.png"/m);
  pane.press("Enter");
  const screen = await pane.until(/^Red\.\n\n>/m);
  expect(screen).toMatch(/^attached my shot\.png \(image\/png, 40×30, \d+ B\)$/m);
  expect(messagesOf(world.entries())[0]).toContain('"media_type":"image/png"');
});

inTerminal("R5.2 a paste of megabytes is folded and sent in full (needs tmux)", async () => {
  using world = createCliWorld();
  const line = `${"0123456789".repeat(10)}\n`;
  using pane = chat(world, ["Read."]);
  await pane.until(/^>/m);
  pane.paste(line.repeat(20_000));
  await pane.until(/^> \[paste #1 \+20001 lines\]/m);
  pane.press("Enter");
  await pane.until(/^Read\.\n\n>/m);
  expect(messagesOf(world.entries())[0]?.length).toBeGreaterThan(20_000 * 101 - 2);
});

inTerminal("R5.2 Tab completes arguments and skills (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("workspace/.agents/skills/reviewer/SKILL.md", "---\nname: reviewer\ndescription: Reviews.\n---\nx");
  using pane = chat(world, ["ok"]);
  await pane.until(/^>/m);
  pane.type(",readonly en");
  pane.press("Tab");
  await pane.until(/^> ,readonly enable=$/m);
  pane.type("t");
  pane.press("Tab");
  await pane.until(/^> ,readonly enable=true *$/m);
  pane.press("C-u");
  pane.type("with $rev");
  await pane.until(/→ \$reviewer +Reviews\./);
  pane.press("Tab");
  await pane.until(/^> with \$reviewer *$/m);
});

inTerminal("R5.2 the bottom line has the cost where prices are configured (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("home/config.yml", "prices:\n  'scripted:*': { input: 2, cached_input: 0.5, output: 10 }\n");
  const usage = { input_tokens: 200_000, output_tokens: 1000, cached_tokens: 100_000 };
  using pane = chat(world, [{ text: "Done.", usage }], { columns: 120 });
  await say(pane, "hi");
  expect(await pane.until(/^Done\.\n\n>/m)).toMatch(/ · 200k in · 1\.0k out · cache 50% · \$0\.260$/);
});

for (const columns of [40, 80, 200]) {
  inTerminal(`R5.2 ,new and --resume change the session, at ${columns} columns (needs tmux)`, async () => {
    using world = createCliWorld();
    {
      using pane = chat(world, ["first answer"], { columns });
      await say(pane, "fix the adder");
      await pane.until(/^first answer\n\n>/m);
      await say(pane, ",new");
      await pane.until(/^session cli:[0-9a-f]{8} begins$/m);
      await say(pane, "write a\u001b[2J parser");
      await pane.until(/parser\n\nfirst answer\n\n>/m);
      pane.press("C-d");
      await pane.until(/\[exit 0\]/);
    }
    expect(tapeFiles(world.home)).toHaveLength(2);
    using pane = chat(world, ["first answer", "third answer"], { columns, words: ["--resume"] });
    const screen = await pane.until(/fix the/);
    expect(screen).toMatch(/^→ cli:[0-9a-f]{8} .*now$/m);
    expect(screen).toMatch(/^ {2}cli:local .*now$/m);
    pane.type("adder");
    await pane.until(/^→ cli:local .*now$/m);
    pane.press("Enter");
    await pane.until(/^session cli:local goes on\n\n> fix the adder\n\nfirst answer\n\n>/m);
    await say(pane, "and now?");
    await pane.until(/^third answer\n\n>/m);
    expect(messagesOf(world.entries()).map((text) => text.split("\n").at(-1))).toEqual(["fix the adder", "and now?"]);
    const after = pane.scrollback();
    expect(after).not.toMatch(/which session|type to filter/);
    expect(after.match(/first answer/g)).toHaveLength(1);
  });
}

inTerminal("R5.2 --resume ID goes on in that session; Esc in the list leaves (needs tmux)", async () => {
  using world = createCliWorld();
  await world.run(["run", "hello there", "--session-id", "one", "--model", world.script("hi")]);
  {
    using pane = chat(world, ["again"], { words: ["--resume", "one"] });
    await pane.until(/^session one goes on\n\n> hello there\n\nhi\n\n>/m);
    pane.press("C-d");
    await pane.until(/\[exit 0\]/);
  }
  using pane = chat(world, ["again"], { words: ["--resume"] });
  await pane.until(/^→ one .*hello there/m);
  pane.press("Escape");
  await pane.until(/\[exit 0\]/);
});

inTerminal("R5.2 a dumb terminal chooses a session by its number, also in the conversation (needs tmux)", async () => {
  using world = createCliWorld();
  await world.run(["run", "hello there", "--session-id", "one", "--model", world.script("hi")]);
  using pane = chat(world, ["hi", "again"], { term: "dumb", words: ["--resume"] });
  await pane.until(/^1\. one +hello there +now\nWhich session\?/m);
  await say(pane, "1");
  await pane.until(/^session one goes on\n> hello there\nhi\n>/m);
  await say(pane, ",new");
  await pane.until(/^session cli:[0-9a-f]{8} begins\n>/m);
  await say(pane, ",resume");
  await pane.until(/Which session\?[\s\S]*Which session\?/);
  await say(pane, "one");
  await pane.until(/goes on[\s\S]*^session one goes on\n> hello there\nhi\n>/m);
  await say(pane, "next");
  await pane.until(/^again\n>/m);
});

inTerminal("R5.7 an edit that was asked about shows its diff once (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("workspace/a.txt", "one\ntwo\n");
  const edit = { name: "fs.edit", arguments: { path: "a.txt", old: "two", new: "2" } };
  using pane = chat(world, [{ calls: [edit] }, "Done."], { env: { BUB_APPROVE: "writes" } });
  await say(pane, "edit");
  await pane.until(/^\[y\]es {2}\[n\]o$/m);
  pane.press("y");
  await pane.until(/^Done\.\n\n>/m);
  const after = pane.scrollback();
  expect(after.match(/^ *\+2$/gm)).toHaveLength(1);
  expect(after).toMatch(/^→ yes\n {2}fs_edit a\.txt/m);
  expect(readFileSync(join(world.workspace, "a.txt"), "utf8")).toBe("one\n2\n");
});

inTerminal("R5.2 the bottom line names the model that the session was switched to (needs tmux)", async () => {
  using world = createCliWorld();
  const other = world.script("from the other");
  using pane = chat(world, ["from the first"], { columns: 200 });
  await say(pane, `,model ${other}`);
  await pane.until(/Applies from the next turn\.\n\n>/);
  await say(pane, "hi");
  await pane.until(/^from the other\n\n>/m);
  expect(pane.screen().split("\n").at(-1)).toContain(other);
});
