// A home on a file system that nobody can write to.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missing } from "../support/requirements.ts";
import { cliFile, createCliWorld } from "../support/run-cli.ts";
import { answersOf, startCommand } from "./worker-process.ts";

/** Runs each command in turn and answers what it said, in namespaces of its own. */
const runner = `
  const { spawnSync } = require("node:child_process");
  for (const words of JSON.parse(process.argv[1])) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [process.argv[2], ...words], { encoding: "utf8" });
    console.log(JSON.stringify({ words: words.join(" "), status, stdout, stderr }));
  }`;

test.skipIf(missing("unshare"))(
  "R3.4 on a read-only home sessions and tapes are read, and what would write says why and changes nothing (needs unshare)",
  async () => {
    using world = createCliWorld();
    const model = world.script("an orchid", "again");
    await world.run(["run", "hi", "--model", model]);
    const before = readFileSync(world.tapeFile());
    const reading = [
      ["sessions"],
      ["sessions", "show", "cli:local"],
      ["tape", "show"],
      ["tape", "search", "orchid"],
      ["tape", "check"],
      ["tape", "export"],
      ["sessions", "prune", "--older-than", "0d"],
    ];
    const writing = [
      ["run", "hi", "--model", model],
      ["sessions", "archive", "cli:local"],
      ["sessions", "rename", "cli:local", "b"],
      ["sessions", "prune", "--older-than", "0d", "--yes"],
    ];
    const command = [
      "env",
      `BUB_HOME=${world.home}`,
      `HOME=${world.home}`,
      process.execPath,
      "-e",
      runner,
      JSON.stringify([...reading, ...writing]),
      cliFile,
    ];
    const mounting = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$1" && shift && exec "$@"';
    const started = startCommand(["unshare", "-rm", "sh", "-c", mounting, world.home, world.workspace, ...command]);
    const answers = (await answersOf(started)) as { words: string; status: number; stdout: string; stderr: string }[];
    for (const { words, status, stdout } of answers.slice(0, reading.length))
      expect({ words, status, isSilent: stdout === "" }).toEqual({ words, status: 0, isSilent: false });
    for (const { words, status, stdout, stderr } of answers.slice(reading.length)) {
      expect({ words, status, stdout }).toEqual({ words, status: 1, stdout: "" });
      expect(stderr).toMatch(
        /^bub: cannot .*: the file system is read-only\. Set BUB_HOME to a folder that you can write\.\n$/,
      );
    }
    expect(answers).toHaveLength(reading.length + writing.length);
    expect(readFileSync(world.tapeFile())).toEqual(before);
    expect(readdirSync(join(world.home, "tapes")).filter((name) => name.includes(".lease"))).toEqual([]);
  },
);
