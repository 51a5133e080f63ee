import { expect, test } from "vitest";
import { parseSkill } from "./skill-file.ts";

const file = (head: string, body = "Do it.") => `---\n${head}\n---\n\n${body}\n`;

test("T5.2 name, description and body of a SKILL.md", async () => {
  const text = file("name: pdf-forms\ndescription: Fill in forms.", "# Forms\n\nFirst …\n");
  expect(await parseSkill(text, "pdf-forms")).toEqual({
    skill: { name: "pdf-forms", description: "Fill in forms.", body: "# Forms\n\nFirst …" },
    problems: [],
  });
});

test("T5.2 license, compatibility, allowed-tools and metadata may be there, and fields of other agents too", async () => {
  const head = [
    "name: pdf",
    "description: >-",
    "  Reads PDFs,",
    "  page by page.",
    "license: Apache-2.0",
    "compatibility: Needs poppler",
    "allowed-tools: Bash(pdftotext:*) Read",
    "metadata:",
    "  author: example-org",
    '  version: "1.0"',
    "model: inherit",
    "disable-model-invocation: true",
  ].join("\n");
  const { skill, problems } = await parseSkill(file(head), "pdf");
  expect(problems).toEqual([]);
  expect(skill).toMatchObject({ name: "pdf", description: "Reads PDFs, page by page." });
});

test.each([
  ["CRLF", "---\r\nname: a\r\ndescription: b\r\n---\r\nBody\r\n"],
  ["a byte order mark", "\uFEFF---\nname: a\ndescription: b\n---\nBody"],
  ["blanks after the dashes", "--- \nname: a\ndescription: b\n---\t\nBody"],
  ["a rule in the body", "---\nname: a\ndescription: b\n---\nBody"],
])("T5.2 front matter with %s is read", async (_title, text) => {
  expect(await parseSkill(text, "a")).toEqual({ skill: { name: "a", description: "b", body: "Body" }, problems: [] });
});

test("T5.2 a rule of dashes in the body belongs to it, and a body may be empty", async () => {
  expect((await parseSkill(file("name: a\ndescription: b", "one\n---\ntwo"), "a")).skill?.body).toBe("one\n---\ntwo");
  expect((await parseSkill("---\nname: a\ndescription: b\n---", "a")).skill?.body).toBe("");
});

test("T5.2 a description with a colon that other agents take is taken as it is meant", async () => {
  const head = 'name: a\ndescription: Use when: "tests" fail, e.g. in CI: quickly';
  expect((await parseSkill(file(head), "a")).skill?.description).toBe('Use when: "tests" fail, e.g. in CI: quickly');
});

const long = (length: number) => "x".repeat(length);

test.each<[string, string, RegExp]>([
  ["no front matter", "# Title\n", /has no front matter/],
  ["front matter further down", "\n---\nname: a\ndescription: b\n---\n", /has no front matter/],
  ["front matter that never ends", "---\nname: a\ndescription: b\n", /has no front matter/],
  ["a list", file("- name: a"), /no list of `key: value` lines/],
  ["broken YAML", file("name: [a\ndescription: b"), /not valid YAML: /],
  ["no name", file("description: b"), /has no name/],
  ["a name that is no text", file("name: [a]\ndescription: b"), /has no name/],
  ["upper case", file("name: Pdf\ndescription: b"), /has the name "Pdf", which must be lower-case/],
  ["two hyphens", file("name: a--b\ndescription: b"), /must be lower-case letters and digits, in words joined by '-'/],
  ["a long name", file(`name: ${long(65)}\ndescription: b`), /has a name of 65 characters; 64 are allowed/],
  ["another folder", file("name: other\ndescription: b"), /has the name "other", but lies in the folder "a"/],
  ["no description", file("name: a"), /has no description/],
  ["a blank description", file('name: a\ndescription: "  "'), /has no description/],
  ["a long description", file(`name: a\ndescription: ${long(1025)}`), /has a description of 1025 characters; 1024 are/],
])("T5.2 invalid: %s", async (_title, text, problem) => {
  const { skill, problems } = await parseSkill(text, "a");
  expect(skill).toBeUndefined();
  expect(problems.join("\n")).toMatch(problem);
});

test("T5.2 the longest name and description are valid", async () => {
  const name = long(64);
  const { skill } = await parseSkill(file(`name: ${name}\ndescription: ${long(1024)}`), name);
  expect(skill).toMatchObject({ name, description: long(1024) });
});

test("T5.2 a name may be all digits, and a description is counted in characters", async () => {
  const { skill } = await parseSkill(file(`name: 2048\ndescription: ${"😀".repeat(1024)}`), "2048");
  expect(skill?.name).toBe("2048");
  expect((await parseSkill(file(`name: a\ndescription: ${"😀".repeat(1025)}`), "a")).problems).toEqual([
    "has a description of 1025 characters; 1024 are allowed",
  ]);
});

test("T5.2 both problems of a file are told, and odd optional fields do not stop a skill", async () => {
  expect((await parseSkill(file("name: B\nlicense: x"), "a")).problems).toHaveLength(2);
  const odd = "name: a\ndescription: b\nmetadata: text\nallowed-tools: 3\nlicense: [x]\ncompatibility: 1";
  const { skill, problems } = await parseSkill(file(odd), "a");
  expect(skill?.name).toBe("a");
  expect(problems).toHaveLength(4);
});

test("T5.2 a bomb of aliases is refused", async () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const items = Array.from({ length: 10 }, () => (level === 0 ? "x" : `*l${level - 1}`));
    return `l${level}: &l${level} [${items.join(", ")}]`;
  });
  const { problems } = await parseSkill(file(`${levels.join("\n")}\nname: a\ndescription: b`), "a");
  expect(problems[0]).toMatch(/not valid YAML/);
});
