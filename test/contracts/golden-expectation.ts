// What reading a recorded stream must come to.
import type { ModelEvent } from "../../src/model/model.ts";

/** What an answer comes to: its texts joined, its calls, its end. */
export interface Reading {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: unknown; incomplete?: true }[];
  finish?: Omit<Extract<ModelEvent, { type: "finish" }>, "type">;
  error?: unknown;
}

export interface GoldenExpectation {
  /** The provider that is asked; default: the format's own. */
  provider?: string;
  reads: Partial<Omit<Reading, "error">>;
  failure?: string;
}

/** Ids that the server left out: any new one. */
export const newId = "<new id>";
