// Schemas at the edge: any Standard Schema that yields JSON Schema, or plain JSON Schema. Types only; tools/ reads them.
import type { JsonObject } from "./json.ts";

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = JsonObject;

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The part of the Standard Schema contract (standardschema.dev) that is used here. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: { readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown> };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type OutputOf<Schema> = Schema extends StandardSchema<infer _Input, infer Output> ? Output : JsonObject;
