// `bub sessions`: listing, searching, showing, renaming, archiving, restoring and pruning, in real processes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { missing } from "../support/requirements.ts";
import { type CliWorld, cliFile, createCliWorld } from "../support/run-cli.ts";
import { openPane } from "../support/tmux.ts";

const said = (text: string): string =>
  `${JSON.stringify({ id: 1, kind: "message", payload: { role: "user", content: text }, meta: {}, date: "2026-01-02T03:04:05.000Z" })}\n`;

/** A session as if somebody had used it so many days ago. */
function addSession(
  world: CliWorld,
  session: string,
  { text = "words", days = 0, workspace = world.workspace } = {},
): string {
  const path = world.tapeFile(session);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, said(text));
  const record = { tape: basename(path, ".jsonl"), workspace, session, date: "2026-01-02T03:04:05.000Z" };
  const index = join(dirname(path), "index.jsonl");
  writeFileSync(index, `${existsSync(index) ? readFileSync(index, "utf8") : ""}${JSON.stringify(record)}\n`);
  age(path, days);
  return path;
}

function age(path: string, days: number): void {
  const date = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  utimesSync(path, date, date);
}

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" });

test("R5.1 sessions lists those of this workspace, last used first, with age, size and first words", async () => {
  using world = createCliWorld();
  addSession(world, "older", { text: "an old question\nand more", days: 3 });
  addSession(world, "newer", { text: "a new question" });
  const { code, stdout, stderr } = await world.run(["sessions"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^ {2}newer {2}now +\d+ B {2}a new question\n {2}older {2}3 d +\d+ B {2}an old question\n$/);
  const [first, second] = jsonLines((await world.run(["sessions", "--json"])).stdout);
  expect([first?.session, second?.session]).toEqual(["newer", "older"]);
  expect(first).toMatchObject({ tape: basename(world.tapeFile("newer"), ".jsonl"), workspace: world.workspace });
  expect(Object.keys(first ?? {}).sort()).toEqual(["began", "bytes", "changed", "session", "tape", "workspace"]);
});

test("R5.1 a folder in the place of a tape is listed and told, and hides no other session", async () => {
  using world = createCliWorld();
  addSession(world, "good", { text: "all is well", days: 1 });
  const broken = addSession(world, "broken");
  rmSync(broken);
  mkdirSync(broken);
  const told = `bub: cannot open the tape ${broken}: it is a folder. Move the folder away: a file of Bub's belongs there.\n`;
  const listed = await world.run(["sessions"]);
  expect(listed).toMatchObject({ code: 0, stderr: told });
  expect(listed.stdout).toMatch(/^ {2}broken .*\n {2}good .*all is well\n$/);
  const found = await world.run(["sessions", "search", "well"]);
  expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining("all is well") });
  expect(found.stderr).toBe(`${told}bub: 1 match.\n`);
  for (const words of [
    ["tape", "show"],
    ["sessions", "show"],
    ["tape", "check"],
  ])
    expect(await world.run([...words, "broken"])).toMatchObject({ code: 1, stderr: told });
  const { stdout } = await world.run(["doctor", "--offline"]);
  expect(stdout).toContain(`${broken} is a folder where a file of Bub's belongs. Move it away.`);
});

test("R5.1 a folder in the place of the list of sessions is told as what it is", async () => {
  using world = createCliWorld();
  const index = join(dirname(addSession(world, "good")), "index.jsonl");
  rmSync(index);
  mkdirSync(index);
  expect(await world.run(["sessions"])).toEqual({
    code: 1,
    stdout: "",
    stderr: `bub: cannot read the list of sessions ${index}: it is a folder. Move the folder away: a file of Bub's belongs there.\n`,
  });
  const { stdout } = await world.run(["doctor", "--offline"]);
  expect(stdout).toContain(`${index} is a folder where a file of Bub's belongs. Move it away.`);
});

test("R5.1 sessions says how many more there are than it shows, and where others would be when there are none", async () => {
  using world = createCliWorld();
  const none = await world.run(["sessions"]);
  expect(none).toEqual({
    code: 0,
    stdout: "",
    stderr: "bub: there are no sessions of this workspace; --everywhere lists those of others, too.\n",
  });
  for (let count = 0; count < 23; count++) addSession(world, `s${count}`);
  const some = await world.run(["sessions"]);
  expect(some.stdout.trimEnd().split("\n")).toHaveLength(20);
  expect(some.stderr).toBe("bub: 20 of 23 sessions; --limit 0 shows all.\n");
  expect((await world.run(["sessions", "--limit", "0"])).stdout.trimEnd().split("\n")).toHaveLength(23);
  const elsewhere = world.file("other/here.txt", "");
  const others = await world.run(["sessions", "-w", dirname(elsewhere), "--everywhere", "--limit", "1"]);
  expect(others.stdout).toContain(world.workspace);
});

test("R3.1 R5.1 a list without titles reads nothing but the index: tapes that cannot be read are in it", async () => {
  using world = createCliWorld();
  for (let count = 0; count < 60; count++) writeFileSync(addSession(world, `s${count}`), "no tape\0");
  const { code, stdout, stderr } = await world.run(["sessions", "--limit", "0"]);
  expect({ code, stderr, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, stderr: "", lines: 60 });
});

test.skipIf(missing("tmux"))(
  "R5.1 the list fits 40 columns, with wide characters and controls in names (needs tmux)",
  async () => {
    using world = createCliWorld();
    addSession(world, "日本語のとても長いセッションの名前テスト", { text: "質問です" });
    addSession(world, "evil\u001b[2J\u001b]0;x\u0007\nname", { text: "\u001b[31mred" });
    addSession(world, "n".repeat(200), { text: "long" });
    const env = { BUB_HOME: world.home, HOME: world.home };
    using pane = openPane([process.execPath, cliFile, "sessions"], { env, cwd: world.workspace, columns: 40 });
    const shown = await pane.until(/\[exit 0\]/);
    const lines = shown.split("\n").filter((line) => line.startsWith("  "));
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/ now +\d+ B$/);
    expect(shown).toContain("日本語");
    expect(shown).toContain("evil␛[2J");
  },
);

test("R5.1 a very long name moves its own row only", async () => {
  using world = createCliWorld();
  addSession(world, "n".repeat(5_000));
  addSession(world, "short");
  const { stdout } = await world.run(["sessions"]);
  expect(stdout).toMatch(/^ {2}short {2,60}now/m);
  expect(stdout).toMatch(/^ {2}n{5000} {2}now/m);
});

test("R5.1 sessions search finds what was said in any session, the last used first", async () => {
  using world = createCliWorld();
  addSession(world, "older", { text: `${"far away ".repeat(40)}the orchid is red`, days: 1 });
  addSession(world, "newer", { text: "no flower\nan orchid\nno flower" });
  const { code, stdout, stderr } = await world.run(["sessions", "search", "orchid"]);
  expect(code).toBe(0);
  expect(stderr).toBe("bub: 2 matches.\n");
  expect(stdout).toMatch(
    /^newer\n#1 {2}2026-01-02 03:04:05 {2}message {2}user\n {2}an orchid\n\nolder\n#1 .*\n {2}….*the orchid is red\n$/,
  );
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  const near = await world.run(["sessions", "search", "orhcid", "--json"]);
  expect(jsonLines(near.stdout)).toMatchObject([
    { session: "newer", id: 1, kind: "message", content: { role: "user" } },
    { session: "older" },
  ]);
  expect((await world.run(["sessions", "search", "orhcid", "--exact"])).stderr).toBe("bub: 0 matches.\n");
  const limited = await world.run(["sessions", "search", "orchid", "--limit", "1"]);
  expect(limited.stderr).toBe("bub: 1 match; there may be more, --limit 0 shows all.\n");
});

test("R5.1 sessions show tells what is known of one, also of a tape that is on no list", async () => {
  using world = createCliWorld();
  const model = world.script("yes");
  await world.run(["run", "first words", "--model", model]);
  const { stdout } = await world.run(["sessions", "show", "cli:local"]);
  expect(stdout).toMatch(/^ {2}session +cli:local$/m);
  expect(stdout).toMatch(/^ {2}about +first words$/m);
  expect(stdout).toMatch(/^ {2}holds +\d+ entries, 1 anchor, [\d.]+ KB$/m);
  const [report] = jsonLines((await world.run(["sessions", "show", "cli:local", "--json"])).stdout);
  expect(report).toMatchObject({ title: "first words", place: world.tapeFile(), holder: null, archives: [] });
  const unlisted = "0123456789abcdef__0123456789abcdef";
  writeFileSync(join(world.home, "tapes", `${unlisted}.jsonl`), said("from elsewhere"));
  const other = await world.run(["sessions", "show", unlisted]);
  expect(other.stdout).toMatch(/^ {2}session +on no list$/m);
  expect(other.stdout).toMatch(/^ {2}about +from elsewhere$/m);
});

test.each([
  ["show", ["show", "cli:locla"]],
  ["rename", ["rename", "cli:locla", "b"]],
  ["archive", ["archive", "cli:locla"]],
])("R5.1 sessions %s names the near one of an unknown id, and exits 1", async (_what, words) => {
  using world = createCliWorld();
  addSession(world, "cli:local");
  const result = await world.run(["sessions", ...words]);
  expect(result).toEqual({
    code: 1,
    stdout: "",
    stderr: "bub: there is no session 'cli:locla'. Did you mean 'cli:local'?\n",
  });
});

test("R5.1 a renamed session goes on under its new name, which may hold slashes and what paths would not", async () => {
  using world = createCliWorld();
  const model = world.script("yes");
  await world.run(["run", "first", "--model", model]);
  const name = "../../a/b ☕";
  expect(await world.run(["sessions", "rename", "cli:local", name])).toEqual(
    ok(`Renamed: cli:local is now ${name}.\n`),
  );
  await world.run(["run", "second", "--session-id", name, "--model", model]);
  expect(world.entries(name).filter(({ kind, payload }) => kind === "message" && payload.role === "user")).toHaveLength(
    2,
  );
  expect(readdirSync(world.home)).not.toContain("a");
  for (const [to, why] of [
    ["temp/x", "in memory"],
    ["a\u001bb", "control characters"],
    [name, "already"],
  ] as const) {
    const refused = await world.run(["sessions", "rename", name, to]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(why)]);
  }
});

test("R5.1 an archived session is off the list until it is restored; what took its place is archived then", async () => {
  using world = createCliWorld();
  addSession(world, "one", { text: "the first" });
  const archived = await world.run(["sessions", "archive", "one"]);
  expect(archived.stdout).toMatch(/^Archived: .*\.bak\n$/);
  expect((await world.run(["sessions"])).stdout).toBe("");
  const [archive] = jsonLines((await world.run(["sessions", "--archived", "--json"])).stdout);
  const stamp = /\.(\w+)\.bak$/.exec(String(archive?.place))?.[1] ?? "";
  expect((await world.run(["sessions", "--archived"])).stdout).toBe(`  one  ${archive?.bytes} B  ${stamp}\n`);
  writeFileSync(world.tapeFile("one"), said("the second"));
  const restored = await world.run(["sessions", "restore", "one"]);
  expect(restored.stdout).toMatch(/^Restored: one, archived .*\.\nArchived in its place: .*\.bak\n$/);
  expect((await world.run(["tape", "show", "one"])).stdout).toContain("the first");
  const again = await world.run([
    "sessions",
    "restore",
    basename(restored.stdout.trim().split(" ").at(-1) ?? "")
      .split(".")
      .at(-2) ?? "",
  ]);
  expect(again.code).toBe(0);
  expect((await world.run(["tape", "show", "one"])).stdout).toContain("the second");
  const unknown = await world.run(["sessions", "restore", "onw"]);
  expect(unknown).toEqual({ code: 1, stdout: "", stderr: "bub: there is no archive of 'onw'. Did you mean 'one'?\n" });
});

test("R5.1 prune goes on past what cannot be removed, and tells it", async () => {
  using world = createCliWorld();
  const old = [addSession(world, "one", { days: 40 }), addSession(world, "two", { days: 50 })];
  const broken = addSession(world, "broken", { days: 45 });
  rmSync(broken);
  mkdirSync(broken);
  utimesSync(broken, 0, 0);
  const pruned = await world.run(["sessions", "prune", "--older-than", "30d", "--yes"]);
  expect(pruned).toMatchObject({ code: 1, stdout: expect.stringContaining("Removed 2 sessions and 0 archives") });
  expect(pruned.stderr).toBe(
    `bub: cannot remove ${broken}: it is a folder. Move the folder away: a file of Bub's belongs there.\n`,
  );
  expect(old.filter((path) => existsSync(path))).toEqual([]);
});

test("R5.1 prune shows what would go and removes nothing without --yes", async () => {
  using world = createCliWorld();
  addSession(world, "old", { days: 40 });
  addSession(world, "new", { days: 20 });
  await world.run(["sessions", "archive", "old"]);
  const [archive] = jsonLines((await world.run(["sessions", "--archived", "--json"])).stdout);
  addSession(world, "old", { days: 40 });
  const place = String(archive?.place);
  const renamed = place.replace(/\.\w+\.bak$/, ".20200101T000000000Z.bak");
  writeFileSync(renamed, readFileSync(place));
  const before = readdirSync(join(world.home, "tapes")).sort();
  const dry = await world.run(["sessions", "prune", "--older-than", "30d"]);
  expect(dry.code).toBe(0);
  expect(dry.stdout).toMatch(
    /^ {2}old +40 d +\d+ B\n {2}old \(archive\) +2020-01-01 +\d+ B\nThis would remove 1 session and 1 archive, \d+ B\. Nothing was removed yet: --yes removes them for good\.\n$/,
  );
  for (const more of [["--yes", "--dry-run"], ["--json"]])
    await world.run(["sessions", "prune", "--older-than", "30d", ...more]);
  expect(readdirSync(join(world.home, "tapes")).sort()).toEqual(before);
  const real = await world.run(["sessions", "prune", "--older-than", "30d", "--yes"]);
  expect(real.stdout).toMatch(/Removed 1 session and 1 archive, \d+ B\.\n$/);
  expect(jsonLines((await world.run(["sessions", "--json"])).stdout).map(({ session }) => session)).toEqual(["new"]);
  expect(existsSync(renamed)).toBe(false);
  expect(existsSync(place)).toBe(true);
  const rest = await world.run(["sessions", "prune", "--older-than", "1y", "--yes"]);
  expect(rest.stdout).toBe("There is nothing to remove.\n");
});

test.each([
  [["prune"], "bub: bub sessions prune needs --older-than <age>, such as 30d.\n"],
  [["prune", "--older-than", "soon"], "bub: 'soon' is no age: say 12h, 30d, 8w, 1y, or an ISO date.\n"],
  [["prune", "--older-than", "9999y"], "bub: 9999y is before all time.\n"],
  [["show"], "bub: bub sessions show needs <id>: bub sessions show <id>\n"],
  [["rename", "a"], "bub: bub sessions rename needs <id> <name>: bub sessions rename <id> <name>\n"],
  [["archive", "a", "b"], "bub: bub sessions archive takes no more than <id>, such as 'b'.\n"],
  [["search", " "], "bub: there is no text to look for.\n"],
  [["search", "x", "--kinds", "mesage"], "bub: unknown kind 'mesage' (Did you mean message?)\n"],
  [["lsit"], "bub: unknown command 'sessions lsit'; bub --help shows what there is.\n"],
])("R5.1 sessions %j makes no sense: exit 2", async (words, stderr) => {
  using world = createCliWorld();
  expect(await world.run(["sessions", ...words])).toEqual({ code: 2, stdout: "", stderr });
});

test("R5.1 a session that another process works on is neither archived nor renamed nor pruned, and shown as in use", async () => {
  using world = createCliWorld();
  const model = world.script({
    text: "I wait.",
    calls: [{ name: "bash", arguments: { command: "echo $$ > started; sleep 60" } }],
  });
  const running = world.start(["run", "hi", "--model", model]);
  await world.until("started", 1);
  age(world.tapeFile(), 400);
  for (const words of [
    ["archive", "cli:local"],
    ["rename", "cli:local", "b"],
  ]) {
    const refused = await world.run(["sessions", ...words]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^bub: session 'cli:local' is held by process \d+ on \S+\. Try again when its turn is over\.\n$/,
    );
  }
  for (const more of [[], ["--yes"]]) {
    const pruned = await world.run(["sessions", "prune", "--older-than", "30d", ...more]);
    expect(pruned.stdout).toMatch(/^Left alone, as somebody is at work on them:\n {2}cli:local /);
  }
  expect((await world.run(["sessions", "show", "cli:local"])).stdout).toMatch(/^ {2}in use +by process \d+ on /m);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(existsSync(world.tapeFile())).toBe(true);
});

test("R5.1 a home that cannot be read is told in a sentence", async () => {
  using world = createCliWorld();
  const file = world.file("a-file", "");
  for (const words of [
    ["sessions"],
    ["sessions", "show", "a"],
    ["sessions", "prune", "--older-than", "1d"],
    ["sessions", "restore", "a"],
  ]) {
    const { code, stderr } = await world.run(words, { env: { BUB_HOME: join(file, "home") } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^bub: .*a part of the path is not a folder/);
  }
});
