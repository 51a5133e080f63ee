// The part of the AI SDK's language model interface that is used here, in its versions 2, 3 and 4.
import type { JsonObject } from "../../base/json.ts";

/** A model of a provider package. What it streams is checked as it comes. */
export interface LanguageModel {
  readonly specificationVersion: LanguageModelVersion;
  /** Such as `mistral.chat`. */
  readonly provider: string;
  /** Addresses that the provider fetches by itself, by media type. */
  readonly supportedUrls?: SupportedUrls | PromiseLike<SupportedUrls>;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

export type LanguageModelVersion = "v2" | "v3" | "v4";

export type SupportedUrls = Readonly<Record<string, readonly RegExp[]>>;

export type Prompt = readonly PromptMessage[];

export type PromptMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user" | "assistant" | "tool"; readonly content: readonly PromptPart[] };

/** Text, file, reasoning, tool-call or tool-result, each with its own keys. */
export type PromptPart = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly prompt: Prompt;
  readonly maxOutputTokens: number;
  readonly tools?: readonly object[];
  readonly toolChoice?: { readonly type: "auto" };
  readonly abortSignal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Version 4 alone. */
  readonly reasoning?: string;
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  readonly [setting: string]: unknown;
}

/** True for what a provider package makes, in a version that is known here. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  if (typeof value !== "object" || value === null) return false;
  const { specificationVersion: version, doStream } = value as Partial<LanguageModel>;
  return typeof doStream === "function" && (version === "v2" || version === "v3" || version === "v4");
}
