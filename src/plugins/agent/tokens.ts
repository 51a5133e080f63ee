// How many tokens a request takes, as far as that can be told beforehand.
import { type Content, isMediaPart } from "../../base/content.ts";
import type { ModelMessage, ModelTool } from "../../model/model.ts";

/** UTF-8 bytes that are taken for one token. */
const bytesOfToken = 4;
/** What an image costs is decided by its pixels, and most providers scale it down to about this (tokens). */
const mediaTokens = 1_600;
/** Role, ids and braces of one message (bytes). */
const messageBytes = 16;

/** What a provider counted: the tokens of a request and its answer, which are the conversation's first messages. */
export interface Measured {
  readonly tokens: number;
  readonly messages: number;
}

export interface Sized {
  readonly system: string;
  readonly tools: readonly ModelTool[];
  readonly messages: readonly ModelMessage[];
}

/** Tokens of a request without its answer: what was counted last, and an estimate of what is new since. */
export function estimateTokens(request: Sized, measured?: Measured): number {
  if (measured === undefined) return fixedTokens(request) + messageTokens(request.messages);
  return measured.tokens + messageTokens(request.messages.slice(measured.messages));
}

/** Tokens of what stands before every conversation. */
export function fixedTokens({ system, tools }: Pick<Sized, "system" | "tools">): number {
  return tokensOf(Buffer.byteLength(system) + toolBytes(tools));
}

export function messageTokens(messages: readonly ModelMessage[]): number {
  return tokensOf(messages.reduce((sum, message) => sum + bytesOf(message), 0));
}

/** @param bytes UTF-8 */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / bytesOfToken);
}

const knownMessages = new WeakMap<ModelMessage, number>();
const knownTools = new WeakMap<readonly ModelTool[], number>();

function toolBytes(tools: readonly ModelTool[]): number {
  const known = knownTools.get(tools);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(tools));
  knownTools.set(tools, bytes);
  return bytes;
}

function bytesOf(message: ModelMessage): number {
  const known = knownMessages.get(message);
  if (known !== undefined) return known;
  const bytes = messageBytes + contentBytes(message.content ?? "") + callBytes(message);
  knownMessages.set(message, bytes);
  return bytes;
}

function contentBytes(content: Content): number {
  if (typeof content === "string") return Buffer.byteLength(content);
  return content.reduce(
    (sum, part) => sum + (isMediaPart(part) ? mediaTokens * bytesOfToken : Buffer.byteLength(part.text)),
    0,
  );
}

function callBytes(message: ModelMessage): number {
  if (message.role !== "assistant") return 0;
  const { calls = [], reasoning = "" } = message;
  return Buffer.byteLength(reasoning) + (calls.length > 0 ? Buffer.byteLength(JSON.stringify(calls)) : 0);
}
