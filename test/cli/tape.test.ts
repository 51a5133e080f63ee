// `bub tape show`, `search`, `export` and `check` in real processes.
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createCliWorld } from "../support/run-cli.ts";

const fixture = (month: string) => new URL(`../fixtures/bub-tapes/tape-2026-${month}.jsonl`, import.meta.url).pathname;
const call = { text: "I look.", calls: [{ name: "bash", arguments: { command: "echo an orchid" } }] };
const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const entry = (id: number, kind: string, payload: object, meta: object = {}): string =>
  `${JSON.stringify({ id, kind, payload, meta, date: "2026-01-02T03:04:05.000Z" })}\n`;

test("R5.1 tape show goes page by page: before an entry, after one, and in a file anywhere", async () => {
  using world = createCliWorld();
  const path = world.file(
    "elsewhere/tape.jsonl",
    Array.from({ length: 9 }, (_, at) => entry(at + 1, "message", { role: "user", content: `m${at + 1}` })).join(""),
  );
  const ids = async (...words: string[]) =>
    (await world.run(["tape", "show", path, ...words])).stdout.match(/(?<=^#)\d+/gm)?.join(" ");
  expect(await ids("--limit", "3")).toBe("7 8 9");
  expect(await ids("--limit", "3", "--before", "7")).toBe("4 5 6");
  expect(await ids("--limit", "2", "--after", "3")).toBe("4 5");
  expect(await ids("--limit", "0", "--after", "2", "--before", "5")).toBe("3 4");
  const beyond = await world.run(["tape", "show", path, "--after", "9"]);
  expect(beyond).toEqual({ code: 0, stdout: "", stderr: `bub: '${path}' has no entries there.\n` });
});

test("R5.1 tape show cuts what nobody could read, and --json does not", async () => {
  using world = createCliWorld();
  const path = world.file("large.jsonl", entry(1, "message", { role: "user", content: "x".repeat(10_000_000) }));
  const { stdout } = await world.run(["tape", "show", path]);
  expect(stdout.length).toBeLessThan(11_000);
  expect(stdout).toMatch(/ {2}… 9990000 more characters\n$/);
  expect((await world.run(["tape", "show", path, "--json"])).stdout.length).toBeGreaterThan(10_000_000);
});

test("R5.1 T6.2 tape search finds what the tool finds: substrings and near words, kinds, dates, limit", async () => {
  using world = createCliWorld();
  await world.run(["run", "where is the orchid?", "--model", world.script(call, "There is an orchid.")]);
  const { code, stdout, stderr } = await world.run(["tape", "search", "orchid"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "bub: 3 matches.\n" });
  expect(stdout.match(/^#\d+ .{21} \w+/gm)).toHaveLength(3);
  expect(stdout).toMatch(/message {2}user\n {2}where is the orchid\?\n$/);
  const near = jsonLines((await world.run(["tape", "search", "orhcid", "--json"])).stdout);
  const tool = jsonLines((await world.run(["run", ",tape.search orhcid"])).stdout.split("\n").slice(1).join("\n"));
  expect(near.map(({ id: _id, ...match }) => match)).toEqual(tool);
  expect((await world.run(["tape", "search", "--exact", "orhcid"])).stderr).toMatch(/^bub: 0 matches/);
  expect((await world.run(["tape", "search", "--kinds", "tool_call", "orchid"])).stdout).toMatch(
    /tool_call\n {2}bash echo an orchid\n$/,
  );
  expect((await world.run(["tape", "search", "--end", "2020-01-01", "orchid"])).stderr).toMatch(/^bub: 0 matches/);
  const bad = await world.run(["tape", "search", "--end", "soon", "orchid"]);
  expect([bad.code, bad.stderr]).toEqual([1, "bub: Invalid ISO date or datetime: 'soon'.\n"]);
});

test("T6.2 tape search leaves out what earlier searches found and says how many", async () => {
  using world = createCliWorld();
  await world.run(["run", ",tape.search orchid"]);
  await world.run(["run", "an orchid", "--model", world.script("yes")]);
  await world.run(["run", ",tape.search orchid"]);
  const { stderr } = await world.run(["tape", "search", "orchid", "--kinds", "message,event"]);
  expect(stderr).toBe("bub: 1 match (2 results of earlier searches are left out).\n");
});

test("R5.1 tape export writes Markdown to stdout, or a file whose name tells the format", async () => {
  using world = createCliWorld();
  await world.run(["run", "where is the orchid?", "--model", world.script(call, "There.")]);
  const plain = await world.run(["tape", "export"]);
  expect([plain.code, plain.stderr]).toEqual([0, ""]);
  expect(plain.stdout).toMatch(/^# cli:local\n/);
  expect(plain.stdout).toContain("\n### Call of bash");
  for (const [name, start] of [
    ["talk.md", "# cli:local\n"],
    ["talk.html", "<!doctype html>"],
    ["talk.jsonl", '{"id":1,'],
  ] as const) {
    const result = await world.run(["tape", "export", "--output", name]);
    expect(result).toMatchObject({ code: 0, stdout: "" });
    expect(result.stderr).toMatch(new RegExp(`^bub: ${name} has \\d+ entries as \\w+, [\\d.]+ K?B\\.\\n$`));
    expect(readFileSync(join(world.workspace, name), "utf8").startsWith(start)).toBe(true);
  }
  expect(jsonLines(readFileSync(join(world.workspace, "talk.jsonl"), "utf8"))).toEqual(world.entries());
  const html = await world.run(["tape", "export", "--format", "html"]);
  expect(html.stdout).toBe(readFileSync(join(world.workspace, "talk.html"), "utf8"));
});

test("R5.1 tape export never overwrites by accident, leaves no half file, and never writes over the tape", async () => {
  using world = createCliWorld();
  await world.run(["run", "hi", "--model", world.script("yes")]);
  const there = world.file("workspace/talk.md", "mine");
  const refused = await world.run(["tape", "export", "--output", "talk.md"]);
  expect(refused).toEqual({ code: 1, stdout: "", stderr: "bub: talk.md is there already. --overwrite replaces it.\n" });
  expect(readFileSync(there, "utf8")).toBe("mine");
  expect((await world.run(["tape", "export", "--output", "talk.md", "--overwrite"])).code).toBe(0);
  expect(readFileSync(there, "utf8")).toMatch(/^# cli:local/);
  const tape = readFileSync(world.tapeFile(), "utf8");
  symlinkSync(world.tapeFile(), join(world.workspace, "same.jsonl"));
  for (const output of [world.tapeFile(), "same.jsonl"]) {
    const own = await world.run(["tape", "export", "--output", output, "--overwrite"]);
    expect([own.code, own.stderr]).toEqual([1, expect.stringContaining("is the tape itself")]);
  }
  expect(readFileSync(world.tapeFile(), "utf8")).toBe(tape);
  for (const [output, why] of [
    ["missing/talk.md", "the path does not exist"],
    [".", "is a folder. Name a file in it."],
  ] as const) {
    const failed = await world.run(["tape", "export", "--output", output]);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(why)]);
  }
  expect((await world.run(["tape", "export", "--session-id", "none", "--output", "none.md"])).code).toBe(1);
  expect(readdirSync(world.workspace).sort()).toEqual(["same.jsonl", "talk.md"]);
  expect(await world.run(["tape", "export", "--format", "pdf"])).toMatchObject({
    code: 2,
    stderr: "bub: unknown format 'pdf'; there are jsonl, markdown, html.\n",
  });
});

test("hostile text: tape export masks secrets in every format, also those that a format would escape", async () => {
  using world = createCliWorld();
  const secret = 'sk-"very<secret>&';
  await world.run(["run", `the key is ${secret}`, "--model", world.script("</script><img src=x onerror=alert(1)>")]);
  for (const format of ["jsonl", "markdown", "html"]) {
    const { stdout } = await world.run(["tape", "export", "--format", format], { env: { BUB_API_KEY: secret } });
    expect(stdout).toContain("the key is ***");
    expect(stdout).not.toMatch(/very/);
    if (format === "html") expect(stdout).not.toMatch(/<img|<script/);
  }
});

test.each(["02", "08", "10"])(
  "R3.1 R5.1 tape check, show and export take a file of Python Bub of 2026-%s, and leave it as it is",
  async (month) => {
    using world = createCliWorld();
    const path = world.file("elsewhere/old.jsonl", readFileSync(fixture(month)));
    const check = await world.run(["tape", "check", path]);
    expect(check).toMatchObject({ code: 0, stderr: "" });
    expect(check.stdout).toMatch(
      /^\S+old\.jsonl\n\d+ entries, \d+ anchors?; \d+ requests built at \d+ places\.\n\nNothing is wrong\.\n$/,
    );
    expect((await world.run(["tape", "show", path])).stdout).toMatch(/^#1 {2}2026-/);
    expect((await world.run(["tape", "export", path])).stdout).toMatch(/### Call of bash/);
    expect(readFileSync(path)).toEqual(readFileSync(fixture(month)));
    expect(readdirSync(dirname(path))).toEqual(["old.jsonl"]);
  },
);

test("R5.1 tape check says what is wrong, where, and the smallest repair, and exits 1", async () => {
  using world = createCliWorld();
  const path = world.file(
    "broken.jsonl",
    entry(1, "anchor", { name: "session/start", state: { owner: "human" } }) +
      entry(2, "message", { role: "user", content: "go" }) +
      entry(3, "tool_result", { results: ["x"] }, { calls: [{ id: "zz", name: "bash", status: "ok" }] }) +
      "no json\n" +
      entry(4, "tool_call", { calls: [{ id: "a\u001b[2J", name: "bash", arguments: {} }] }),
  );
  const { code, stdout } = await world.run(["tape", "check", path]);
  expect(code).toBe(1);
  expect(stdout).toContain(
    "Wrong now: the next request meets it\n  #4  open-call  The call a␛[2J of entry 4 has no result yet.\n",
  );
  expect(stdout).toMatch(/Wrong in the past: the next request does not meet it\n {2}#3 {2}result-without-call /);
  expect(stdout).toMatch(
    /Not readable, and passed over\n {2}A line that is no entry is skipped \(7 bytes at byte \d+\)\.\n/,
  );
  expect(stdout).toMatch(
    /Repair\n {2}Append a result that says that the call was interrupted, as the session's next turn does by itself\.\n$/,
  );
  const [report] = jsonLines((await world.run(["tape", "check", path, "--json"])).stdout);
  expect(report).toMatchObject({
    place: path,
    entries: 4,
    findings: [{ entry: 3 }, { entry: 4, isCurrent: true }],
    repair: { drafts: [{ kind: "tool_result" }] },
  });
});

test("R5.1 tape check takes one provider's rules, and names the near one of an unknown provider", async () => {
  using world = createCliWorld();
  const count = async (...words: string[]) =>
    Number(/(\d+) requests/.exec((await world.run(["tape", "check", fixture("10"), ...words])).stdout)?.[1]);
  expect(await count()).toBe(2 * (await count("--provider", "anthropic", "--provider", "google")));
  const env = {
    BUB_PROVIDERS: '{"mine":{"type":"anthropic","api_base":"http://127.0.0.1:9"}}',
    BUB_OURS_API_BASE: "http://127.0.0.1:9/v1",
  };
  for (const provider of ["mine", "ours"])
    expect(await world.run(["tape", "check", fixture("10"), "--provider", provider], { env })).toMatchObject({
      code: 0,
    });
  const unknown = await world.run(["tape", "check", fixture("10"), "--provider", "anthropc"]);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("did you mean anthropic?")]);
});

test("R5.1 a word is a session that is there, else a file, else an unknown session with the near one told", async () => {
  using world = createCliWorld();
  await world.run(["run", "of the session", "--session-id", "notes", "--model", world.script("yes")]);
  copyFileSync(fixture("02"), join(world.workspace, "notes"));
  copyFileSync(fixture("02"), join(world.workspace, "other"));
  const shown = async (...words: string[]) => world.run(["tape", "show", ...words]);
  expect((await shown("notes")).stdout).toContain("of the session");
  expect((await shown("other")).stdout).toMatch(/^#1 {2}2026-/);
  expect(await shown("nots")).toMatchObject({
    code: 1,
    stderr: "bub: there is no session 'nots'. Did you mean 'notes'?\n",
  });
  expect(await shown("notes", "--session-id", "x")).toMatchObject({
    code: 2,
    stderr: "bub: two sessions are named: 'x' and 'notes'.\n",
  });
  mkdirSync(join(world.workspace, "folder"));
  expect(await shown("folder")).toMatchObject({
    code: 1,
    stderr:
      "bub: folder is no file that could hold a tape. Name a session, or a tape's file; bub sessions lists the sessions.\n",
  });
});

test("R5.1 what holds no entry is told as such: a session that nobody used, a file that is no tape", async () => {
  using world = createCliWorld();
  const file = world.file("no-tape.txt", "words\n");
  const unused = "bub: the session 'none' has no entries in this workspace.\n";
  const noTape = `bub: the file ${file} holds no entry of a tape.\n`;
  expect(await world.run(["tape", "check", "--session-id", "none"])).toEqual({ code: 1, stdout: "", stderr: unused });
  expect(await world.run(["tape", "export", "--session-id", "none"])).toEqual({ code: 1, stdout: "", stderr: unused });
  expect(await world.run(["tape", "export", file])).toEqual({ code: 1, stdout: "", stderr: noTape });
  expect((await world.run(["tape", "show", file])).stderr).toContain(noTape);
  expect((await world.run(["tape", "check", file])).stdout).toContain(
    "A line that is no entry is skipped (5 bytes at byte 0).",
  );
});

test("R3.4 tape show and search pass over what is torn, and tape check tells where", async () => {
  using world = createCliWorld();
  await world.run(["run", "hi", "--model", world.script("yes")]);
  appendFileSync(world.tapeFile(), `${"\0".repeat(4096)}{"id":99,"kind":"mess`);
  const show = await world.run(["tape", "show"]);
  expect(show.stderr).toMatch(/^bub: 2 places of the tape could not be read; bub tape check tells more\.\n$/);
  const check = await world.run(["tape", "check"]);
  expect(check.code).toBe(1);
  expect(check.stdout).toMatch(
    /A stretch of zero bytes is skipped \(4096 bytes at byte \d+\)\.\n {2}A last line that was never finished is skipped/,
  );
  expect(check.stdout).toMatch(/The next request is right as it is: nothing needs repair\.\n$/);
});

test("R5.1 a reader that leaves early ends an export at once, and nothing is said of it", async () => {
  using world = createCliWorld();
  const lines = Array.from({ length: 20_000 }, (_, at) =>
    entry(at + 1, "message", { role: "user", content: "y".repeat(1000) }),
  );
  const path = world.file("long.jsonl", lines.join(""));
  const running = world.start(["tape", "export", path]);
  await running.saw("yyyy");
  running.process.stdout?.destroy();
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(path)).toBe(true);
});
