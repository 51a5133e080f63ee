// Approvals: which calls a person is asked about first, which never run, and sessions in which nothing is written.
import { messageOf } from "../../base/errors.ts";
import type { Diagnosis } from "../../kernel/diagnosis.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { PluginHost } from "../../kernel/plugin-host.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { CheckedCall, Verdict } from "../../tools/interception.ts";
import { buildQuestion } from "./question.ts";
import { type ApprovalRule, findRule, parseRules } from "./rules.ts";
import { isDelegating, mayWrite } from "./tool-effects.ts";

export const approvalsPlugin = definePlugin(({ settings, config }: PluginHost) => {
  // Rules that cannot be read must not count as no rules: every turn says so and goes no further.
  const rules = parsed(() => parseRules(config.approvals));
  return {
    name: "approvals",
    loadState() {
      rules();
      return {};
    },
    beforeToolCall: (call, turn) => judge(call, turn, { rules: rules(), mode: settings.approve }),
    diagnose: () => diagnoseApprovals(settings.approve, rules),
  };
});

function diagnoseApprovals(mode: Mode, rules: () => readonly ApprovalRule[]): Diagnosis {
  const asks = {
    never: "nothing is asked first",
    writes: "what writes is asked first",
    always: "every call is asked first",
  };
  const about = (value: string, findings: Diagnosis["findings"]): Diagnosis => ({
    title: "Approvals",
    facts: [
      { name: mode, value: asks[mode] },
      { name: "rules", value },
    ],
    findings,
  });
  try {
    return about(String(rules().length), []);
  } catch (error) {
    return about("cannot be read", [{ sentence: messageOf(error), severity: "problem" }]);
  }
}

type Mode = PluginHost["settings"]["approve"];

interface Policy {
  readonly rules: readonly ApprovalRule[];
  readonly mode: Mode;
}

/** The value, or the error each time. */
function parsed<Value>(parse: () => Value): () => Value {
  let result: { value: Value } | undefined;
  return () => {
    result ??= { value: parse() };
    return result.value;
  };
}

function judge(call: CheckedCall, turn: Turn, { rules, mode }: Policy): Promise<Verdict> | Verdict | undefined {
  // A person's switches, such as the one that ends a read-only session, are out of any rule's reach.
  if (call.tool.exposure === "command") return undefined;
  const isPerson = call.origin === "command";
  if (!isPerson && turn.tape.facts.settings.readonly === true && mayWrite(call.name)) return denyInReadonly(call, turn);
  const rule = findRule(rules, call);
  if (rule?.action === "deny")
    return {
      action: "deny",
      reason: rule.reason ?? `${call.name} is denied by rule ${rule.number} of approvals in config.yml.`,
    };
  // Who typed the command need not be asked whether it was meant.
  if (isPerson || rule?.action === "allow") return undefined;
  if (rule?.action === "ask") return ask(call, turn, `rule ${rule.number} of approvals in config.yml`);
  return isAsked(call.name, mode) ? ask(call, turn, `BUB_APPROVE=${mode}`) : undefined;
}

function isAsked(tool: string, mode: Mode): boolean {
  if (mode === "writes") return mayWrite(tool) && !isDelegating(tool);
  return mode === "always";
}

function denyInReadonly({ name }: CheckedCall, { runtime }: Turn): Verdict {
  const command = `${runtime.settings.commandPrefix}readonly false`;
  return { action: "deny", reason: `${name} is denied: this session is read-only until the user says ${command}.` };
}

async function ask(call: CheckedCall, turn: Turn, why: string): Promise<Verdict> {
  const { name } = call;
  if (turn.inbound.ask === undefined) {
    return {
      action: "deny",
      reason: `${name} needs an approval (${why}) that nobody here can give: it takes bub chat, or a rule in config.yml that allows it.`,
    };
  }
  let question: string;
  try {
    question = await buildQuestion(call, turn);
  } catch (error) {
    call.signal.throwIfAborted();
    return { action: "deny", reason: `${name} would fail: ${messageOf(error)}` };
  }
  const decide = (choice: string): Verdict =>
    choice === "yes" ? { action: "proceed" } : { action: "deny", reason: `${name} was refused by the user.` };
  return { action: "ask", question, choices: ["yes", "no"], decide };
}
