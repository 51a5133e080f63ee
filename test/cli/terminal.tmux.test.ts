// `bub run` and `bub chat` in a real terminal.
import { expect, test } from "vitest";
import { missing } from "../support/requirements.ts";
import { type CliWorld, cliFile, createCliWorld } from "../support/run-cli.ts";
import { openPane, type Pane } from "../support/tmux.ts";

const inTerminal = test.skipIf(missing("tmux"));
const bash = (command: string) => ({ name: "bash", arguments: { command } });

function open(world: CliWorld, words: readonly string[], { columns = 80, env = {} } = {}): Pane {
  const own = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8", ...env };
  return openPane([process.execPath, cliFile, ...words], { env: own, cwd: world.workspace, columns });
}

inTerminal("R5.1 run streams to a terminal, with a line for each tool call and its time (needs tmux)", async () => {
  using world = createCliWorld();
  const model = world.script({ text: "I look.", calls: [bash("sleep 0.2; false")] }, { text: "It is 42." });
  using pane = open(world, ["run", "hi", "--model", model]);
  const screen = await pane.until(/\[exit 0\]/);
  expect(screen).toMatch(
    /^I look\.\n {2}bash sleep 0\.2; false \(\d+ ms, failed: command exited with code 1\)\n\nIt is 42\.\n\[exit 0\]$/,
  );
});

inTerminal("R5.1 the answer appears while it comes, and Ctrl-C ends it with 130 (needs tmux)", async () => {
  using world = createCliWorld();
  using pane = open(world, ["run", "hi", "--model", world.script({ text: "The first words", stall: true })]);
  await pane.until(/^The first words$/);
  pane.press("C-c");
  expect(await pane.until(/exit/)).toContain("[exit 130]");
});

inTerminal("hostile text: escape sequences of the model and of tools are shown, not obeyed (needs tmux)", async () => {
  using world = createCliWorld();
  const hostile = "a\u001b[2Jb\u001b]0;owned\u0007c\rd\u009b31me";
  const model = world.script(
    { text: hostile, calls: [bash("printf '\\033[2J\\033[31mred\\033]0;owned\\007'; false")] },
    hostile,
  );
  using pane = open(world, ["run", "hi", "--model", model]);
  const screen = await pane.until(/\[exit 0\]/);
  expect(screen.match(/a␛\[2Jb␛\]0;owned␇c␍d<U\+009B>31me/g)).toHaveLength(2);
});

inTerminal("R5.1 NO_COLOR: no colours; 40 columns: tool lines fit (needs tmux)", async () => {
  using world = createCliWorld();
  const model = world.script({ calls: [bash(`true ${"三 wide ".repeat(20)}`)] }, "done");
  using plain = open(world, ["run", "hi", "--model", model], { columns: 40, env: { NO_COLOR: "1" } });
  const screen = await plain.until(/\[exit 0\]/);
  expect(screen.split("\n")).toEqual([
    expect.stringMatching(/^ {2}bash true 三 wide.*… \(\d+ ms\)$/),
    "",
    "done",
    "[exit 0]",
  ]);
  expect(plain.screen({ colours: true })).not.toContain("\u001b[");
  using coloured = open(world, ["run", "hi", "--new", "--model", model]);
  await coloured.until(/\[exit 0\]/);
  expect(coloured.screen({ colours: true })).toContain("\u001b[2m");
});

inTerminal("R1.8 typing during a run steers it (needs tmux)", async () => {
  using world = createCliWorld();
  const wait = bash("touch ready; while [ ! -e go ]; do sleep 0.02; done");
  using pane = open(world, ["chat", "--model", world.script({ calls: [wait] }, "you said: {{user}}")]);
  await pane.until(/^> $|^>$/m);
  pane.type("first");
  pane.press("Enter");
  await world.until("ready");
  pane.type("the steering word");
  pane.press("Enter");
  await pane.until(/goes into the run/);
  world.file("workspace/go", "");
  await pane.until(/^you said: the steering word$/m);
  pane.press("C-d");
  expect(await pane.until(/exit/)).toContain("[exit 0]");
});

inTerminal("R5.1 in chat Ctrl-C cancels the run, the next turn works, and two more leave (needs tmux)", async () => {
  using world = createCliWorld();
  using pane = open(world, [
    "chat",
    "begin",
    "--model",
    world.script({ text: "I begin", stall: true }, "second answer"),
  ]);
  await pane.until(/^I begin$/m);
  pane.press("C-c");
  await pane.until(/^cancelled$/m);
  pane.type("go on");
  pane.press("Enter");
  await pane.until(/^second answer\n\n>/m);
  pane.press("C-c");
  await pane.until(/Ctrl-C again leaves/);
  pane.press("C-c");
  expect(await pane.until(/exit/)).toContain("[exit 0]");
});
