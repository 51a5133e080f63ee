// What can be called: a tool's contract. Tools are made by `defineTool`.

import type { Clock } from "../base/clock.ts";
import type { Content } from "../base/content.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import type { JsonSchema, OutputOf, StandardSchema } from "../base/schema.ts";
import type { Environment } from "../environment/environment.ts";
import type { Tape } from "../tape/tape.ts";
import type { Toolset } from "./toolset.ts";

/** Who may see a tool: the model, code in `run_code`, or a person's command; `auto` is both of the first two. */
export type Exposure = "auto" | "direct" | "code" | "command";

/** Who made a call. */
export type CallOrigin = "model" | "code" | "command";

/** The turn as a tool sees it. The kernel's Turn has more. */
export interface ToolTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly tape: Tape;
  readonly environment: Environment;
  /** The session's sibling tape of that name, which goes wherever its tape goes; a plugin names it by `provideTapeSidecar`. */
  sidecar(name: string): Promise<Tape>;
}

export interface ToolContext {
  readonly turn: ToolTurn;
  readonly environment: Environment;
  readonly callId: string;
  readonly origin: CallOrigin;
  /** The tools of the run that the call belongs to. */
  readonly toolset: Toolset;
  /** Aborted when the turn is cancelled: stop and clean up. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

export type Rendered = string | Content;

export interface ToolDefinition<Input extends StandardSchema | JsonSchema, Output> {
  /** Dotted runtime name: `fs.read`. */
  name: string;
  /** For the model; part of the product. */
  description: string;
  /** Any Standard Schema that yields JSON Schema, or plain JSON Schema. None: no parameters. */
  input?: Input;
  /** JSON Schema of the value, for typed code. */
  output?: JsonSchema;
  exposure?: Exposure;
  /** True: the model must load it with `tool.describe` first. */
  deferred?: boolean;
  /** True: waits for the earlier calls of its step and holds the later ones. */
  exclusive?: boolean;
  /** @throws BubError for failures that the caller should understand */
  run(args: OutputOf<Input>, context: ToolContext): Promise<Output> | Output;
  /** Text, or parts with media, for models and commands. Default: strings as they are, else compact JSON. */
  render?(value: Output): Rendered;
}

/** A tool whose argument types are forgotten: what a toolset holds. */
export interface Tool {
  readonly name: string;
  /** The model's name for it: every `.` as `_`. */
  readonly alias: string;
  readonly description: string;
  readonly exposure: Exposure;
  readonly deferred: boolean;
  readonly exclusive: boolean;
  /** JSON Schema of the arguments, made on first use. */
  readonly parameters: JsonSchema;
  readonly output: JsonSchema | undefined;
  /** Coerces and checks raw arguments. */
  validate(args: JsonObject): Promise<Validated>;
  run(args: JsonObject, context: ToolContext): Promise<unknown>;
  render(value: unknown): Rendered;
}

export interface ArgumentIssue {
  /** `names.0`; empty for the arguments as a whole. */
  readonly path: string;
  readonly message: string;
}

export type Validated =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly issues: readonly ArgumentIssue[] };
