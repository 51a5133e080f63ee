// The section `approvals` of config.yml: rules by tool and argument pattern; the first that matches decides.
import { isAbsolute, relative } from "node:path";
import * as v from "valibot";
import { BubError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Environment } from "../../environment/environment.ts";
import type { CheckedCall } from "../../tools/interception.ts";
import { matchesPattern } from "./pattern.ts";

const actions = ["allow", "ask", "deny"] as const;
const patterns = v.union([v.string(), v.array(v.string())], "must be a pattern or a list of patterns");

const ruleSchema = v.strictObject({
  /** Runtime name or alias. */
  tool: v.optional(patterns, "*"),
  /** A pattern for each argument that has to match. */
  arguments: v.optional(v.record(v.string(), patterns, "must be arguments with a pattern each"), {}),
  action: v.picklist(actions, "must be allow, ask or deny"),
  /** Told to the model when it denies. */
  reason: v.optional(v.string("must be text")),
});

export type ApprovalRule = v.InferOutput<typeof ruleSchema> & {
  /** From 1, for people. */
  readonly number: number;
};

/** @throws BubError `config` naming the rule and what is wrong with it */
export function parseRules(section: JsonValue | undefined): readonly ApprovalRule[] {
  const parsed = v.safeParse(v.array(ruleSchema, "must be a list of rules"), section ?? []);
  if (parsed.success) return parsed.output.map((rule, index) => ({ ...rule, number: index + 1 }));
  const [issue] = parsed.issues;
  const [index, ...keys] = (issue.path ?? []).map(({ key }) => key);
  const place = typeof index === "number" ? ` rule ${index + 1}:` : "";
  const key = keys.length === 0 ? "" : ` ${keys.join(".")}`;
  throw new BubError("config", `approvals in config.yml cannot be used:${place}${key} ${sentenceOf(issue)}.`, {
    hint: "A rule has an action (allow, ask or deny), and may have a tool, arguments and a reason.",
  });
}

interface Issue {
  readonly type: string;
  readonly message: string;
  readonly input: unknown;
  readonly expected: string | null;
}

function sentenceOf({ type, message, input, expected }: Issue): string {
  if (expected === "never") return "is nothing that a rule has";
  if (input === undefined) return "is missing";
  return type === "strict_object" ? "must be keys and values" : `${message}, not ${JSON.stringify(input)}`;
}

export function findRule(rules: readonly ApprovalRule[], call: CheckedCall): ApprovalRule | undefined {
  return rules.find((rule) => isAbout(rule, call));
}

function isAbout(rule: ApprovalRule, call: CheckedCall): boolean {
  const names = [call.name, call.tool.alias];
  const isTool = listOf(rule.tool).some((pattern) =>
    names.some((name) => matchesPattern(pattern, name, { ignoreCase: true })),
  );
  return (
    isTool &&
    Object.entries(rule.arguments).every(([name, wanted]) =>
      listOf(wanted).some((pattern) => covers(pattern, { rule, call, name })),
    )
  );
}

interface Question {
  readonly rule: ApprovalRule;
  readonly call: CheckedCall;
  readonly name: string;
}

/** What lets a shell do more than one plain command: an allowed beginning must not carry another command. */
const shellSyntax = ";&|<>$`()\\\\\\n\\r";

function covers(pattern: string, { rule, call, name }: Question): boolean {
  const value = call.args[name];
  if (value === undefined) return false;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isAllowing = rule.action === "allow";
  const { environment } = call.turn;
  const absolute = name === "path" || name === "cwd" ? resolved(text, environment) : undefined;
  if (absolute !== undefined) return coversPath(pattern, absolute, environment, isAllowing);
  const except = isAllowing && call.name === "bash" && name === "command" ? shellSyntax : undefined;
  return matchesPattern(pattern, text, { except });
}

/** Undefined for what its environment takes for no path. */
function resolved(path: string, environment: Environment): string | undefined {
  try {
    return environment.resolvePath(path);
  } catch {
    return undefined;
  }
}

/** By where the path leads, so that `src/../x` is not below `src/`. */
function coversPath(pattern: string, absolute: string, environment: Environment, isAllowing: boolean): boolean {
  if (isAbsolute(pattern) || pattern.startsWith("~")) {
    return matchesPattern(pattern.startsWith("~") ? environment.resolvePath(pattern) : pattern, absolute);
  }
  const inside = relative(environment.workspace ?? "/", absolute);
  const isOutside = environment.workspace === undefined || /^\.\.(\/|$)/.test(inside);
  // Other patterns mean files of the workspace; one that forbids should rather reach too far.
  if (!isOutside) return matchesPattern(pattern, inside);
  return !isAllowing && matchesPattern(pattern, absolute);
}

function listOf(wanted: string | readonly string[]): readonly string[] {
  return typeof wanted === "string" ? [wanted] : wanted;
}
