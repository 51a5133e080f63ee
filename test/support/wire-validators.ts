// What each provider's API refuses of a conversation, by the rules that `bub tape check` goes by.
import type { JsonObject } from "../../src/base/json.ts";
import { refusalOf } from "../../src/model/wire-rules.ts";

export type Validator = (body: JsonObject) => string | undefined;

export const chatProblem: Validator = (body) => refusalOf("chat", body);
export const anthropicProblem: Validator = (body) => refusalOf("anthropic", body);
export const responsesProblem: Validator = (body) => refusalOf("responses", body);
export const geminiProblem: Validator = (body) => refusalOf("google", body);
