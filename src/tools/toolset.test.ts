import * as v from "valibot";
import { expect, test } from "vitest";
import { defineTool } from "./define-tool.ts";
import type { Exposure, Tool } from "./tool.ts";
import { createToolset, type OwnedTool, resolveTool } from "./toolset.ts";

function make(name: string, exposure: Exposure = "auto", deferred = false): Tool {
  return defineTool({ name, description: `does ${name}`, exposure, deferred, run: () => name });
}

function owned(tools: readonly Tool[], plugin = "builtin"): OwnedTool[] {
  return tools.map((tool) => ({ tool, plugin }));
}

const tools = owned([
  make("run_code", "direct"),
  make("bash", "direct"),
  make("fs.read", "direct"),
  make("tool.describe", "direct"),
  make("web.fetch"),
  make("skill"),
  make("attach_image", "code"),
  make("quit", "command"),
  make("later.direct", "direct", true),
  make("later.auto", "auto", true),
]);

const names = (list: readonly OwnedTool[]) => list.map(({ tool }) => tool.name);
const offered = (...args: Parameters<typeof createToolset>) => names(createToolset(...args).offered);
const withoutDeferred = tools.filter(({ tool }) => !tool.deferred);

test("T0.2 the model sees direct and auto tools, never code and command tools, and run_code only in code mode", () => {
  expect(offered(withoutDeferred)).toEqual(["bash", "fs.read", "skill", "tool.describe", "web.fetch"]);
  expect(names(createToolset(tools).fromCode)).toEqual([]);
});

test("T8.1 in code mode the model sees direct tools; auto and code tools are called from code, deferred ones too", () => {
  const toolset = createToolset(tools, { codeMode: true });
  expect(toolset.codeMode).toBe(true);
  expect(names(toolset.offered)).toEqual(["bash", "fs.read", "run_code", "tool.describe"]);
  expect(names(toolset.fromCode)).toEqual(["attach_image", "later.auto", "skill", "web.fetch"]);
  expect(names(toolset.deferred)).toEqual(["later.direct"]);
});

test("T8.1 code mode is off where run_code is not allowed", () => {
  const toolset = createToolset(tools, { codeMode: true, allowed: ["bash", "web.fetch"] });
  expect(toolset.codeMode).toBe(false);
  expect(names(toolset.offered)).toEqual(["bash", "web.fetch"]);
});

test("T8.1 the session setting off means no code mode, though run_code is allowed", () => {
  expect(createToolset(tools, { allowed: ["run_code", "web.fetch"] })).toMatchObject({ codeMode: false, fromCode: [] });
});

test("T5.6 what is outside the allow-list exists nowhere in the run", () => {
  const toolset = createToolset(tools, { allowed: ["run_code", "fs_read", " WEB.fetch "], codeMode: true });
  expect(names(toolset.all)).toEqual(["fs.read", "run_code", "web.fetch"]);
  expect(names(toolset.offered)).toEqual(["fs.read", "run_code"]);
  expect(names(toolset.fromCode)).toEqual(["web.fetch"]);
  for (const origin of ["model", "code", "command"] as const) expect(toolset.find("bash", origin)).toBeUndefined();
  expect(toolset.resolve("bash")).toBeUndefined();
});

test("T5.6 an empty allow-list leaves nothing", () => {
  expect(createToolset(tools, { allowed: [], codeMode: true })).toMatchObject({
    all: [],
    offered: [],
    codeMode: false,
  });
});

test("T5.6 code mode decides before deferral: a deferred auto tool needs no loading there", () => {
  expect(names(createToolset(tools).deferred)).toEqual(["later.auto", "later.direct"]);
  expect(names(createToolset(tools, { codeMode: true }).deferred)).toEqual(["later.direct"]);
  const loaded = ["later_auto", "later_direct"];
  expect(offered(tools, { codeMode: true, loaded })).toEqual([
    "bash",
    "fs.read",
    "run_code",
    "tool.describe",
    "later.direct",
  ]);
});

test("T5.4 loaded deferred tools come last, in load order, each once", () => {
  const loaded = ["later_direct", "LATER.AUTO", "later_direct", "gone"];
  const toolset = createToolset(tools, { loaded });
  expect(names(toolset.offered)).toEqual([...offered(withoutDeferred), "later.direct", "later.auto"]);
  const [first, second] = ["later.direct", "later.auto"].map((name) => toolset.resolve(name)?.tool);
  expect(first && toolset.isLoaded(first)).toBe(true);
  expect(second && createToolset(tools).isLoaded(second)).toBe(false);
});

test("T5.5 tool_describe is offered while a deferred tool is in scope, even if the allow-list lacks it", () => {
  expect(offered(tools, { allowed: ["bash", "later.auto"] })).toEqual(["bash", "tool.describe"]);
  expect(offered(tools, { allowed: ["bash", "later.auto"], loaded: ["later.auto"] })).toEqual([
    "bash",
    "tool.describe",
    "later.auto",
  ]);
  expect(offered(tools, { allowed: ["bash"] })).toEqual(["bash"]);
  expect(offered(tools, { allowed: ["run_code", "later.auto"], codeMode: true })).toEqual(["run_code"]);
});

test("T0.4 of two tools with one name or alias the later plugin's stays, with its plugin", () => {
  const mine = make("fs_read", "direct");
  const toolset = createToolset([...withoutDeferred, { tool: mine, plugin: "mine" }]);
  expect(names(toolset.offered)).toEqual(["bash", "fs_read", "skill", "tool.describe", "web.fetch"]);
  expect(toolset.find("fs_read", "model")).toEqual({ tool: mine, plugin: "mine" });
  expect(toolset.resolve("bash")?.plugin).toBe("builtin");
});

test("T0.4 two aliases that are one identifier in code are one tool there, the later plugin's", () => {
  const first = { tool: make("a-b", "code"), plugin: "first" };
  const later = { tool: make("a_b", "code"), plugin: "later" };
  const code = owned([make("run_code", "direct")]);
  const fromCode = (...own: OwnedTool[]) =>
    createToolset([...code, ...own], { codeMode: true }).find("a_b", "code")?.plugin;
  expect(fromCode(first, later)).toBe("later");
  expect(fromCode(later, first)).toBe("first");
  expect(fromCode({ tool: make("a_b", "code"), plugin: "old" }, first, later)).toBe("later");
});

test("T0.4 names resolve trimmed, in any case, the runtime name before the alias", () => {
  const toolset = createToolset(tools);
  for (const name of ["fs.read", "fs_read", " FS.Read\n", "Fs_Read"])
    expect(toolset.resolve(name)?.tool.name).toBe("fs.read");
  expect(toolset.resolve("fs-read")).toBeUndefined();
  const clashing = owned([make("A.b"), make("a.B"), make("x")]);
  expect(resolveTool("a.B", clashing)?.tool.name).toBe("a.B");
  expect(resolveTool("A.B", clashing)?.tool.name).toBe("A.b");
});

test("T10.1 a person's command spells the runtime name exactly and reaches every exposure", () => {
  const toolset = createToolset(tools);
  expect(toolset.find("fs.read", "command")?.tool.name).toBe("fs.read");
  expect(toolset.find("quit", "command")?.tool.name).toBe("quit");
  expect(toolset.find("later.auto", "command")?.tool.name).toBe("later.auto");
  for (const name of ["fs_read", "FS.read", " quit"]) expect(toolset.find(name, "command")).toBeUndefined();
});

test("the definitions are the same objects every time, in an order that plugins do not change", () => {
  const one = createToolset(tools, { loaded: ["later.auto"] });
  const other = createToolset([...tools].reverse(), { loaded: ["later.auto"] });
  expect(one.modelTools()).toBe(one.modelTools());
  expect(other.modelTools().every((definition, index) => definition === one.modelTools()[index])).toBe(true);
  expect(one.modelTools().at(-1)).toEqual({
    name: "later_auto",
    description: "does later.auto",
    parameters: { type: "object", properties: {} },
  });
});

test("definitions are made only when they are asked for", () => {
  const broken = defineTool({ name: "broken", description: "", input: v.strictObject({ at: v.date() }), run: () => 0 });
  const toolset = createToolset(owned([broken]));
  expect(() => toolset.modelTools()).toThrow(/tool 'broken'/);
});

test("T0.9 guidance for an unloaded deferred tool is to call tool_describe first", () => {
  expect(createToolset(tools).guidance("later.auto")).toBe(
    `Tool 'later_auto' is not loaded. Call tool_describe with names ["later_auto"] first; it can be called from the next step on.`,
  );
});

test("T0.9 guidance else names up to three close names", () => {
  const toolset = createToolset(tools);
  expect(toolset.guidance("fs_raed")).toBe("Unknown tool 'fs_raed'. Did you mean fs_read?");
  expect(toolset.guidance("read")).toBe("Unknown tool 'read'. Did you mean fs_read?");
  const many = createToolset(owned(["page_a", "page_b", "page_c", "page_d"].map((name) => make(name))));
  expect(many.guidance("page_x").match(/page_[a-d]/g)).toHaveLength(3);
  const code = createToolset(tools, { codeMode: true });
  expect(code.guidance("web_fetch")).toBe("Unknown tool 'web_fetch'. Did you mean tools.web_fetch inside run_code?");
});

test("T0.9 guidance else points to skill", () => {
  expect(createToolset(tools).guidance("translate_document")).toMatch(
    /^Unknown tool 'translate_document'\. .*call skill/,
  );
});
