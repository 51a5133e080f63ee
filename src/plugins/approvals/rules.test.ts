import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { createMemoryEnvironment } from "../../environment/memory.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { CheckedCall } from "../../tools/interception.ts";
import { matchesPattern } from "./pattern.ts";
import { findRule, parseRules } from "./rules.ts";

const environment = createMemoryEnvironment({ workspace: "/work" });

function call(name: string, args: JsonObject = {}): CheckedCall {
  const tool = defineTool({ name, description: "", run: () => "" });
  return {
    id: "1",
    name,
    tool,
    plugin: "p",
    args,
    origin: "model",
    turn: { environment } as never,
    signal: new AbortController().signal,
  };
}

/** The action of the first rule that is about the call. */
const judged = (rules: JsonValue, name: string, args?: JsonObject) =>
  findRule(parseRules(rules), call(name, args))?.action;

test.each<[string, string, boolean]>([
  ["git status", "git status", true],
  ["git status", "git status -s", false],
  ["git *", "git log\n--oneline", true],
  ["git *", "git", false],
  ["*", "", true],
  ["?at", "cat", true],
  ["?at", "at", false],
  ["a.b+(c)[d]{e}|^$/", "a.b+(c)[d]{e}|^$/", true],
  ["a.b", "axb", false],
  ["\\*", "*", true],
  ["\\*", "x", false],
  ["\\\\", "\\", true],
  ["C:\\x", "C:\\x", true],
  ["??", "😀", false],
  ["?", "😀", true],
])("R5.7 the pattern %j on %j: %s", (pattern, text, matches) => {
  expect(matchesPattern(pattern, text)).toBe(matches);
});

test("R5.7 rules by tool: runtime name or alias, in any case, with patterns and lists; the first match wins", () => {
  const rules = [{ tool: "FS_read", action: "allow" }, { tool: ["fs.*", "bash"], action: "ask" }, { action: "deny" }];
  expect(["fs.read", "fs.write", "bash", "bash.kill"].map((name) => judged(rules, name))).toEqual([
    "allow",
    "ask",
    "ask",
    "deny",
  ]);
  expect(judged([], "bash")).toBeUndefined();
});

test("R5.7 rules by argument: all named have to match, one that is absent does not", () => {
  const rules = [
    {
      tool: "web.fetch",
      arguments: { url: ["https://a.example/*", "https://b.example/*"], timeout: "1?" },
      action: "allow",
    },
  ];
  expect(judged(rules, "web.fetch", { url: "https://b.example/x", timeout: 10 })).toBe("allow");
  expect(judged(rules, "web.fetch", { url: "https://b.example/x", timeout: 9 })).toBeUndefined();
  expect(judged(rules, "web.fetch", { url: "https://b.example/x" })).toBeUndefined();
  expect(judged([{ arguments: { names: '["a",*' }, action: "deny" }], "x", { names: ["a", "b"] })).toBe("deny");
});

test.each(["; rm -rf /", " && rm x", " | sh", " > /etc/x", " $(rm x)", " `rm x`", "\nrm x", " & rm x", " \\\nrm"])(
  "R5.7 an allowed beginning of a shell command does not carry another one: %j",
  (rest) => {
    const allow = [{ tool: "bash", arguments: { command: "git status*" }, action: "allow" }];
    expect(judged(allow, "bash", { command: `git status${rest}` })).toBeUndefined();
    expect(judged(allow, "bash", { command: "git status -s 'a b'" })).toBe("allow");
    const deny = [{ tool: "bash", arguments: { command: "*rm *" }, action: "deny" }];
    expect(judged(deny, "bash", { command: `x; rm ${rest}` })).toBe("deny");
  },
);

test("R5.7 a path counts by where it leads: inside the workspace relative, elsewhere absolute or from home", () => {
  const allow = (pattern: string) => [{ tool: "fs.write", arguments: { path: pattern }, action: "allow" }];
  const path = (given: string) => ({ path: given });
  expect(judged(allow("src/*"), "fs.write", path("src/a/b.ts"))).toBe("allow");
  expect(judged(allow("src/*"), "fs.write", path("/work/src/a.ts"))).toBe("allow");
  expect(judged(allow("src/*"), "fs.write", path("./lib/../src/a.ts"))).toBe("allow");
  expect(judged(allow("src/*"), "fs.write", path("src/../package.json"))).toBeUndefined();
  expect(judged(allow("*"), "fs.write", path("../other/x"))).toBeUndefined();
  expect(judged(allow("*.md"), "fs.write", path("/etc/x.md"))).toBeUndefined();
  expect(judged(allow("/tmp/*"), "fs.write", path("/tmp/x"))).toBe("allow");
  expect(judged(allow("/tmp/*"), "fs.write", path("/tmp/../etc/x"))).toBeUndefined();
  expect(judged(allow("~/notes/*"), "fs.write", path("~/notes/x"))).toBe("allow");
  const deny = [{ arguments: { path: "*.env" }, action: "deny" }];
  for (const given of [".env", "a/.env", "../x/.env", "/etc/.env"])
    expect(judged(deny, "fs.read", path(given))).toBe("deny");
});

test.each<[string, JsonValue, string]>([
  ["no list", { tool: "bash" }, 'must be a list of rules, not {"tool":"bash"}'],
  ["no rule", ["bash"], "rule 1: must be keys and values"],
  ["no action", [{ tool: "bash" }], "rule 1: action is missing"],
  [
    "another action",
    [{ action: "allow" }, { action: "alow" }],
    'rule 2: action must be allow, ask or deny, not "alow"',
  ],
  ["an unknown key", [{ action: "allow", tools: "bash" }], "rule 1: tools is nothing that a rule has"],
  ["no pattern", [{ action: "allow", tool: 3 }], "rule 1: tool must be a pattern or a list of patterns, not 3"],
  [
    "an argument without pattern",
    [{ action: "allow", arguments: { path: null } }],
    "rule 1: arguments.path must be a pattern or a list of patterns, not null",
  ],
])("R5.7 a clear error for rules that cannot be used: %s", (_title, section, sentence) => {
  expect(() => parseRules(section)).toThrow(expect.objectContaining({ kind: "config" }));
  expect(() => parseRules(section)).toThrow(`approvals in config.yml cannot be used: ${sentence}.`);
});

test("R5.7 without the section there are no rules", () => {
  expect(parseRules(undefined)).toEqual([]);
});
