// What each provider's API refuses of a request, as far as its documentation says.
import type { TestedFormat } from "../contracts/golden-streams.ts";
import { anthropicProblem } from "./anthropic-validator.ts";
import { chatProblem } from "./chat-validator.ts";
import { geminiProblem } from "./gemini-validator.ts";
import { responsesProblem } from "./responses-validator.ts";
import type { Validator } from "./wire-fields.ts";

export const validators: Readonly<Record<TestedFormat["format"], Validator>> = {
  "chat-completions": chatProblem,
  anthropic: anthropicProblem,
  responses: responsesProblem,
  google: geminiProblem,
};
