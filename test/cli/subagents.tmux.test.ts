// Subagents on the screen of `bub chat`.
import { expect, test } from "vitest";
import { missing } from "../support/requirements.ts";
import { cliFile, createCliWorld } from "../support/run-cli.ts";
import { openPane } from "../support/tmux.ts";

test.skipIf(missing("tmux"))(
  "R5.2 chat shows children with name, status and time, and how many run (needs tmux)",
  async () => {
    using world = createCliWorld();
    const hold = { name: "bash", arguments: { command: "while [ ! -e enough ]; do sleep 0.05; done" } };
    const script = {
      conversations: [
        { first: "count the files", answers: [{ calls: [hold] }, "three"] },
        { first: "read the notes", answers: [{ text: "half", error: { status: 400, message: "no such thing" } }] },
      ],
      answers: [
        { when: { user: "three" }, text: "there are three" },
        { when: { user: "<subagent-notification" }, text: "one failed" },
        {
          calls: [
            { name: "subagent", arguments: { prompt: "count the files\nall of them" } },
            { name: "subagent", arguments: { prompt: "read the notes" } },
          ],
        },
        "waiting for them",
      ],
    };
    const model = `scripted:${world.file("script.json", JSON.stringify(script))}`;
    const env = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8" };
    using pane = openPane([process.execPath, cliFile, "chat", "--model", model], { env, cwd: world.workspace });
    await pane.until(/^>/m);
    pane.type("go");
    pane.press("Enter");
    await pane.until(/^ {2}subagent count the files [1-9]\d* s$/m);
    await pane.until(/· 1 subagent ·/);
    // Nobody thinks meanwhile.
    expect(await pane.until(/^. waiting for subagents/m)).not.toContain("thinking");
    world.file("workspace/enough", "");
    await pane.until(/there are three/);
    const shown = pane.scrollback();
    expect(shown).toMatch(/^ {2}subagent read the notes \(failed, \d+ ms: .*…\)$/m);
    expect(shown).toMatch(/^ {2}subagent count the files \(completed, [\d.]+ m?s\)$/m);
    expect(shown.split("\n").at(-1)).not.toContain("subagent");
  },
);

test.skipIf(missing("tmux"))("R5.2 the cost of children is a part of what chat shows (needs tmux)", async () => {
  using world = createCliWorld();
  world.file("home/config.yml", "prices:\n  'scripted:*': { input: 1, output: 0 }\n");
  const usage = { input_tokens: 1_000_000, output_tokens: 1 };
  const script = {
    conversations: [{ first: "count the files", answers: [{ text: "three", usage }] }],
    answers: [
      { when: { user: "<subagent-notification" }, text: "there are three", usage },
      { calls: [{ name: "subagent", arguments: { prompt: "count the files" } }], usage },
      "waiting for them",
    ],
  };
  const model = `scripted:${world.file("script.json", JSON.stringify(script))}`;
  const env = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8" };
  using pane = openPane([process.execPath, cliFile, "chat", "--model", model], {
    env,
    cwd: world.workspace,
    columns: 120,
  });
  await pane.until(/^>/m);
  pane.type("go");
  pane.press("Enter");
  const screen = await pane.until(/^there are three\n\n>/m);
  // Its own tokens, and what all of them cost.
  expect(screen).toMatch(/ · 2\.0M in · 2 out · cache 0% · \$3\.00/);
});
