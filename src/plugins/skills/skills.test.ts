import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { definePlugin } from "../../kernel/plugin.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const worlds: string[] = [];

afterEach(() => {
  for (const folder of worlds.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace, a user and a home of their own; `skill` writes a SKILL.md below one of them. */
function createWorld() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bub-skills-")));
  worlds.push(folder);
  const [workspace, user, home] = ["workspace", "user", "home"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(workspace);
  const file = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return join(folder, path);
  };
  return {
    folder,
    workspace,
    home,
    file,
    skill: (root: string, name: string, { description = `About ${name}.`, body = `Do ${name}.` } = {}) =>
      file(`${root}/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`),
    open: (options: TestRuntimeOptions = {}) =>
      testRuntime({
        workspace,
        env: { HOME: user },
        environment: null,
        ...options,
        settings: { home, ...options.settings },
      }),
  };
}

const inWorkspace = "workspace/.agents/skills";
const ofUser = "user/.agents/skills";
const creatorLine = /^- skill-creator: .+$/;

test("T0.3 skill is auto and not deferred", async () => {
  await using runtime = await createWorld().open();
  const owned = runtime.runtime.tools.find(({ tool }) => tool.name === "skill");
  expect(owned).toMatchObject({ plugin: "skills", tool: { exposure: "auto", deferred: false } });
});

test("T5.1 without a name it lists the skills of the context, by name", async () => {
  const world = createWorld();
  world.skill(inWorkspace, "pdf-forms", { description: "Fill in forms." });
  world.skill(ofUser, "invoices");
  await using runtime = await world.open();
  const { text } = await runtime.send(",skill");
  expect(text.split("\n")).toEqual([
    "Available skills:",
    "- invoices: About invoices.",
    "- pdf-forms: Fill in forms.",
    expect.stringMatching(creatorLine),
  ]);
});

test("T5.1 T0.10 with a name: location and body; the value has name, location and content", async () => {
  const world = createWorld();
  const location = world.skill(inWorkspace, "pdf-forms", { body: "First …\n\nThen …" });
  const model = scriptedModel([callTool("skill", { name: "pdf-forms" }), callTool("skill"), say("ok")]);
  await using runtime = await world.open({ model });
  const [one, list] = (await runtime.send("go")).toolResults;
  expect(one?.text).toBe(`Location: ${location}\n---\nFirst …\n\nThen …`);
  expect(one?.value).toEqual({ name: "pdf-forms", location, content: "First …\n\nThen …" });
  expect(list?.value).toMatchObject({
    skills: [{ name: "pdf-forms", description: "About pdf-forms." }, { name: "skill-creator" }],
  });
});

test("T5.1 names are case-insensitive; a missing one is (no such skill), and no model is called", async () => {
  const world = createWorld();
  world.skill(inWorkspace, "pdf-forms");
  await using runtime = await world.open({ model: scriptedModel([]) });
  expect((await runtime.send(",skill PDF-Forms")).text).toMatch(
    /^Location: .*pdf-forms\/SKILL\.md\n---\nDo pdf-forms\.$/,
  );
  expect(await runtime.send(",skill nothing")).toMatchObject({ text: "(no such skill)", status: "ok" });
});

test("T5.1 T7.2 allowed skills in any case are all there is; an empty list means none", async () => {
  const world = createWorld();
  world.skill(inWorkspace, "one");
  world.skill(inWorkspace, "two");
  const steps = [callTool("skill"), callTool("skill", { name: "two" }), callTool("skill", { name: "one" }), say("ok")];
  const model = scriptedModel([...steps, ...steps]);
  await using runtime = await world.open({ model });
  const some = (await runtime.send("use $two", { allowedSkills: ["ONE", "other"] })).toolResults.map(
    ({ text }) => text,
  );
  expect(some).toEqual(["Available skills:\n- one: About one.", "(no such skill)", expect.stringContaining("Do one.")]);
  expect(model.requests[0]?.system).toContain("\n- one: About one.\n</skills>");
  expect(JSON.stringify(model.requests[0]?.messages)).not.toContain("Do two.");
  const none = (await runtime.send("use $one", { allowedSkills: [] })).toolResults.map(({ text }) => text);
  expect(none).toEqual(["Available skills:\n(none)", "(no such skill)", "(no such skill)"]);
  expect(model.requests[4]?.system).not.toContain("skill");
});

test("T5.2 roots in order: workspace, user, plugins (later first), bundled; the first of a name wins", async () => {
  const world = createWorld();
  for (const [root, names] of Object.entries({
    [inWorkspace]: ["a"],
    [ofUser]: ["a", "b"],
    early: ["a", "b", "c"],
    late: ["a", "b", "c", "skill-creator"],
  }))
    for (const name of names) world.skill(root, name, { body: `from ${root}` });
  const bringing = (name: string, skills: string[]) =>
    definePlugin({
      name,
      provideSkills: () => skills.map((skill) => ({ directory: join(world.folder, name, skill) })),
    });
  const plugins = [bringing("early", ["a", "b", "c"]), bringing("late", ["a", "b", "c", "skill-creator"])];
  await using runtime = await world.open({ plugins });
  const bodies = [];
  for (const name of ["a", "b", "c", "skill-creator"])
    bodies.push((await runtime.send(`,skill ${name}`)).text.split("\n").at(-1));
  expect(bodies).toEqual([`from ${inWorkspace}`, `from ${ofUser}`, "from late", "from late"]);
});

test("R1.4 provideSkills is asked once, and a plugin that fails in it is left out", async () => {
  const world = createWorld();
  world.skill("brought", "mine");
  let asked = 0;
  const plugin = definePlugin({
    name: "bringing",
    provideSkills() {
      asked++;
      return [{ directory: join(world.folder, "brought", "mine") }];
    },
  });
  const broken = definePlugin({ name: "broken", provideSkills: () => Promise.reject(new Error("gone")) });
  await using runtime = await world.open({ plugins: [plugin, broken], model: scriptedModel([say("ok")]) });
  await runtime.send("hi");
  expect((await runtime.send(",skill mine")).text).toContain("Do mine.");
  expect(asked).toBe(1);
});

test("T5.2 invalid ones are in the log once and in doctor's answers, each with its file; the valid of that name is used", async () => {
  const world = createWorld();
  const bad = world.file(`${inWorkspace}/mixed/SKILL.md`, "---\nname: Mixed\ndescription: x\n---\n");
  world.skill(ofUser, "mixed");
  const empty = join(world.workspace, ".agents/skills/empty");
  mkdirSync(empty);
  world.file(`${inWorkspace}/README.md`, "no skill");
  mkdirSync(join(world.workspace, ".agents/skills/.git"));
  const odd = world.file(`${ofUser}/odd/SKILL.md`, "---\nname: odd\ndescription: x\nmetadata: 1\n---\n");
  await using runtime = await world.open({ model: scriptedModel([say("ok"), say("ok")]) });
  await runtime.send("one");
  await runtime.send("two");
  const problems = [
    `A skill is not used: ${empty}/SKILL.md is missing: a skill is a folder with a SKILL.md.`,
    `A skill is not used: ${bad} has the name "Mixed", which must be lower-case letters and digits, in words joined by '-'.`,
  ];
  expect(runtime.log.map((line) => JSON.parse(line).message)).toEqual(problems);
  const request = { offline: true, signal: runtime.runtime.ending };
  const answers = await runtime.runtime.hooks.collect("diagnose", runtime.runtime, request);
  expect(answers.find(({ plugin }) => plugin === "skills")?.answer).toEqual({
    title: "Skills",
    facts: [{ name: "found", value: "3: mixed, odd, skill-creator" }],
    findings: [
      ...problems.map((sentence) => ({ sentence, severity: "problem" })),
      { sentence: `A skill is odd: ${odd} has metadata that are no keys and values.`, severity: "warning" },
    ],
  });
  expect((await runtime.send(",skill mixed")).text).toContain("Do mixed.");
  expect((await runtime.send(",skill odd")).text).toContain("Location:");
  expect((await runtime.send(",skill empty")).text).toBe(`(no such skill)\n${problems[0]}`);
});

test("T5.2 $SKILL_DIR in a body is replaced, whatever the path holds", async () => {
  const world = createWorld();
  const folder = join(world.folder, "brought $& here", "mine");
  world.skill("brought $& here", "mine", { body: `Run $SKILL_DIR/run.sh and \${SKILL_DIR}/x; not $SKILL_DIRS.` });
  const plugin = definePlugin({ name: "bringing", provideSkills: () => [{ directory: folder }] });
  await using runtime = await world.open({ plugins: [plugin] });
  expect((await runtime.send(",skill mine")).text).toContain(`Run ${folder}/run.sh and ${folder}/x; not $SKILL_DIRS.`);
});

test("T5.2 a folder made for another agent works unchanged, also by a link to it", async () => {
  const world = createWorld();
  const original = world.file(
    "elsewhere/commit-helper/SKILL.md",
    "---\nname: commit-helper\ndescription: Use when: committing\nallowed-tools: [Bash, Read]\nversion: 2\n---\nSee [style](references/style.md).",
  );
  world.file("elsewhere/commit-helper/references/style.md", "Imperative mood.");
  mkdirSync(join(world.folder, ofUser), { recursive: true });
  symlinkSync(dirname(original), join(world.folder, ofUser, "commit-helper"));
  await using runtime = await world.open();
  const { text } = await runtime.send(",skill commit-helper");
  expect(text).toMatch(/^Location: .*user\/\.agents\/skills\/commit-helper\/SKILL\.md\n---\nSee \[style\]/);
  const location = text.split("\n")[0]?.replace("Location: ", "") ?? "";
  expect(readFileSync(join(dirname(location), "references/style.md"), "utf8")).toBe("Imperative mood.");
  expect(runtime.log).toEqual([]);
});

test("T5.2 a skill that is written or changed during a session counts at once", async () => {
  const world = createWorld();
  await using runtime = await world.open();
  expect((await runtime.send(",skill new")).text).toBe("(no such skill)");
  const file = world.skill(inWorkspace, "new", { body: "one" });
  expect((await runtime.send(",skill new")).text).toMatch(/one$/);
  world.skill(inWorkspace, "new", { body: "two" });
  utimesSync(file, 1, 1);
  expect((await runtime.send(",skill new")).text).toMatch(/two$/);
});

test("T5.3 R2.4 the system prompt lists the skills on a line each, with the same bytes from turn to turn", async () => {
  const world = createWorld();
  world.file(`${inWorkspace}/long/SKILL.md`, "---\nname: long\ndescription: |\n  First line.\n  Second line.\n---\n");
  const model = scriptedModel([say("ok"), say("ok"), say("ok")]);
  await using runtime = await world.open({ model });
  await runtime.send("one");
  await runtime.send("two");
  const [first, second] = model.requests.map(({ system }) => system);
  expect(first).toMatch(/<skills>\n[^\n]+\n- long: First line\. Second line\.\n- skill-creator: [^\n]+\n<\/skills>/);
  expect(second).toBe(first);
  await runtime.send("three", { allowedTools: ["fs.read"] });
  expect(model.requests[2]?.system).not.toContain("<skills>");
});

const block = (name: string, location: string) =>
  `<skill name="${name}" location="${location}">\nDo ${name}.\n</skill>`;

test("T5.3 $name in a person's message brings that skill's body into that message, once", async () => {
  const world = createWorld();
  const location = world.skill(inWorkspace, "pdf-forms");
  const other = world.skill(ofUser, "mail");
  const model = scriptedModel([say("ok"), say("ok"), say("ok")]);
  await using runtime = await world.open({ model });
  await runtime.send("begin");
  const text = "Use $PDF-forms, then ($mail). $pdf-forms again; not $pdf, $pdf-forms-x, a$mail, /$mail or \\$mail";
  await runtime.send(text);
  expect(model.requests[1]?.messages.at(-1)).toEqual({
    role: "user",
    content: `${text}\n\n${block("pdf-forms", location)}\n\n${block("mail", other)}`,
  });
  await runtime.send("and now?");
  expect(model.requests[2]?.messages.slice(0, -2)).toEqual(model.requests[1]?.messages);
  expect(model.requests[2]?.messages.at(-1)).toEqual({ role: "user", content: "and now?" });
});

test("T5.3 a message of several parts gets the body as one more; what stands beside it stays", async () => {
  const world = createWorld();
  const location = world.skill(inWorkspace, "look");
  const model = scriptedModel([say("ok"), say("ok")]);
  await using runtime = await world.open({ model });
  await runtime.send("begin");
  const image = { type: "image", media_type: "image/gif", url: "https://example.com/$look.gif" } as const;
  await runtime.send([{ type: "text", text: "$look at this" }, image]);
  expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
    { type: "text", text: "$look at this" },
    { type: "image" },
    { type: "text", text: block("look", location) },
  ]);
});

test("T5.3 a message into a run brings a skill too; tool results, notifications and commands never do", async () => {
  const world = createWorld();
  const location = world.skill(inWorkspace, "mail");
  const leave = defineTool({
    name: "leave",
    description: "Leave messages.",
    async run(_args, { turn }) {
      const { inbox } = turn as Turn;
      await inbox.leave({ kind: "notification", payload: { content: "news of $mail" }, meta: {} });
      await inbox.leave({ kind: "steer", payload: { content: "use $mail" }, meta: {} });
      return "result with $mail";
    },
  });
  const model = scriptedModel([callTool("leave"), say("ok")]);
  await using runtime = await world.open({ model, tools: [leave] });
  await runtime.send("go");
  expect(model.requests[1]?.messages.slice(-3)).toMatchObject([
    { role: "tool", content: "result with $mail" },
    { content: "news of $mail" },
    { content: `use $mail\n\n${block("mail", location)}` },
  ]);
  expect((await runtime.send(",skill $mail")).text).toBe("(no such skill)");
});

test("T5.2 skill-creator: its files are real, its template makes a valid skill, and the check tells when it is not", async () => {
  const world = createWorld();
  const target = join(world.workspace, ".agents/skills/release-notes/SKILL.md");
  const template = () => readFileSync(join(world.home, "skills/skill-creator/template.md"), "utf8");
  const fill = (name: string) =>
    template().replace("the-name-of-its-folder", name).replace("What it does.", "Writes release notes.");
  const model = scriptedModel([
    callTool("skill", { name: "skill-creator" }),
    () => callTool("fs_write", { path: target, content: fill("Release Notes") }),
    callTool("skill", { name: "release-notes" }),
    () => callTool("fs_write", { path: target, content: fill("release-notes") }),
    callTool("skill", { name: "release-notes" }),
    say("The skill is there."),
  ]);
  await using runtime = await world.open({ model });
  const { toolResults } = await runtime.send("keep how we write release notes, $skill-creator");
  const [creator, , invalid, , valid] = toolResults.map(({ text }) => text);
  const folder = join(world.home, "skills/skill-creator");
  expect(creator).toContain(`Location: ${folder}/SKILL.md\n---\n`);
  expect(creator).toContain(`Read \`${folder}/template.md\``);
  expect(readFileSync(join(folder, "SKILL.md"), "utf8")).toMatch(/^---\nname: skill-creator\n/);
  expect(invalid).toBe(
    `(no such skill)\nA skill is not used: ${target} has the name "Release Notes", which must be lower-case letters and digits, in words joined by '-'.`,
  );
  expect(valid).toContain(`Location: ${target}\n---\n# What this is about`);
  expect((await runtime.send(",skill")).text).toContain("- release-notes: Writes release notes. Use it when …");
});

test("T5.2 the bundled skill is itself valid, is brought up to date, and works where nothing can be written", async () => {
  const world = createWorld();
  world.file("home/skills/skill-creator/SKILL.md", "an older version");
  await using runtime = await world.open();
  await runtime.send(",skill skill-creator");
  const written = readFileSync(join(world.home, "skills/skill-creator/SKILL.md"), "utf8");
  expect(written).not.toContain("an older version");
  world.file(`${ofUser}/skill-creator/SKILL.md`, written);
  expect((await runtime.send(",skill skill-creator")).text).toMatch(/user\/\.agents\/skills\/skill-creator/);
  expect(runtime.log).toEqual([]);
  const blocked = world.file("blocked", "a file");
  await using second = await createWorld().open({ settings: { home: join(blocked, "home") } });
  expect((await second.send(",skill skill-creator")).text).toContain("# Writing a skill");
});
