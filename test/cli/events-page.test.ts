// The pages on `--json` against what `bub run --json` prints: every type, and exactly the documented fields.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StreamEvent } from "../../src/base/events.ts";
import { type CliWorld, createCliWorld, eventsOf } from "../support/run-cli.ts";
import { root } from "../support/source-files.ts";

/** The rows of the first table below a heading, as the words in backticks of their first two cells. */
function rowsBelow(page: string, heading: string): { names: string[]; fields: string[] }[] {
  const text = readFileSync(join(root, page), "utf8");
  const section = text.slice(text.indexOf(`\n## ${heading}\n`));
  const [table = ""] = /^\|(?:.*\n\|)*.*$/m.exec(section) ?? [];
  const words = (cell = "") => [...cell.matchAll(/`([\w-]+\??)[^`]*`/g)].map(([, word = ""]) => word);
  return table
    .split("\n")
    .slice(2)
    .map((row) => row.split(/(?<!\\)\|/))
    .map(([, first, second]) => ({ names: words(first), fields: words(second) }));
}

function fieldsByType(page: string, heading: string): Record<string, string[]> {
  const rows = rowsBelow(page, heading);
  return Object.fromEntries(rows.flatMap(({ names, fields }) => names.map((name) => [name, [...fields].sort()])));
}

const common = rowsBelow("docs/events.md", "Every event").flatMap(({ names }) => names);

/** Turns in which everything happens that there are events for. */
async function allEvents(world: CliWorld): Promise<StreamEvent[]> {
  const bash = { name: "bash", arguments: { command: "echo hi" } };
  const answers = [
    { reasoning: "Hm.", text: "I look.", calls: [bash], usage: { input_tokens: 10, output_tokens: 3 } },
    { calls: [{ name: "subagent", arguments: { prompt: "look for it" } }] },
    "Waiting.",
    "Done.",
  ];
  const conversations = [{ first: "look for it", answers: [{ text: "I do.", calls: [bash] }, "Found."] }];
  const script = (name: string, content: object) => `scripted:${world.file(name, JSON.stringify(content))}`;
  const whole = await world.run(["run", "--json", "go", "--model", script("whole.json", { answers, conversations })]);
  const failing = script("failing.json", { answers: [{ error: 400 }] });
  const env = { BUB_FALLBACK_MODELS: script("standing-in.json", { answers: ["I stand in."] }) };
  const replaced = await world.run(["run", "--json", "--new", "go", "--model", failing], { env });
  const broken = await world.run(["run", "--json", "--new", "go", "--model", failing]);
  expect([whole.code, replaced.code, broken.code]).toEqual([0, 0, 1]);
  return [whole, replaced, broken].flatMap(({ stdout }) => eventsOf(stdout));
}

test("R5.1 --json prints exactly the documented types and fields", async () => {
  using world = createCliWorld();
  const documented = fieldsByType("docs/events.md", "What happened");
  const seen: Record<string, string[]> = {};
  for (const event of await allEvents(world)) {
    const own = Object.keys(event).filter((key) => !common.includes(key));
    expect(Object.keys(event), event.type).toEqual(expect.arrayContaining(common));
    seen[event.type] = [...new Set([...(seen[event.type] ?? []), ...own])].sort();
  }
  expect(seen).toEqual(documented);
});

test("R2.2 the page on events and the reference have the same types and fields", () => {
  const reference = fieldsByType("docs/reference/events.md", "Stream events");
  const page = fieldsByType("docs/events.md", "What happened");
  expect(Object.keys(page).sort()).toEqual(Object.keys(reference).sort());
  for (const [type, fields] of Object.entries(reference))
    expect(
      page[type]?.filter((name) => !name.endsWith("?")),
      type,
    ).toEqual(fields);
});

test("R2.9 the page on events has every count of tokens that there is", () => {
  const usage = rowsBelow("docs/reference/events.md", "Usage").flatMap(({ names }) => names);
  const row = /^\| `usage` .*$/m.exec(readFileSync(join(root, "docs/events.md"), "utf8"))?.[0] ?? "";
  expect(row.match(/\w+_tokens\?/g)).toEqual(usage);
});

test("R5.1 --json ends with final also when the run failed, and its ok is the exit code", async () => {
  using world = createCliWorld();
  const { code, stdout, stderr } = await world.run(["run", "--json", "go", "--model", world.script({ error: 400 })]);
  const events = eventsOf(stdout);
  expect(events.filter(({ type }) => type === "final")).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "final", ok: false, status: "error" });
  expect(events.map(({ type }) => type)).toContain("error");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^bub: [^\n]+\n$/);
});
