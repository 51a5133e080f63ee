// `tape.info`: the size of the session's tape, its last anchor and its last token usage.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { eventData } from "../../tape/entry.ts";
import type { Tape } from "../../tape/tape.ts";
import { defineTool } from "../../tools/define-tool.ts";

interface TapeInfo {
  readonly name: string;
  readonly entries: number;
  readonly anchors: number;
  readonly last_anchor: string | null;
  readonly entries_since_last_anchor: number;
  /** Tokens of the newest run that reported them. */
  readonly last_token_usage: number | null;
  /** Cached of input tokens, 0..1. */
  readonly last_token_cache_hit_rate: number | null;
}

export const tapeInfo = defineTool({
  name: "tape.info",
  description: "Show the tape's name, entry and anchor counts, last anchor, and the latest token usage.",
  run: (_args, { turn, signal }) => readInfo(turn.tape, signal),
  render: (info: TapeInfo) =>
    Object.entries(info)
      .map(([key, value]) => `${key}: ${renderValue(key, value)}`)
      .join("\n"),
});

async function readInfo(tape: Tape, signal: AbortSignal): Promise<TapeInfo> {
  const { facts, lastAnchor, lastId, id } = tape;
  const usage = await lastUsage(tape, signal);
  return {
    name: id,
    entries: facts.entries,
    anchors: facts.anchors,
    last_anchor: lastAnchor === undefined ? null : String(lastAnchor.payload.name),
    entries_since_last_anchor: lastId - (lastAnchor?.id ?? 0),
    last_token_usage: totalOf(usage),
    last_token_cache_hit_rate: hitRateOf(usage),
  };
}

async function lastUsage(tape: Tape, signal: AbortSignal): Promise<JsonObject | undefined> {
  // The text lets the store pass over lines that cannot hold any: a provider may never have told.
  const runs = { kinds: ["event"], text: "usage", newestFirst: true } as const;
  for await (const entry of tape.query(runs, { signal })) {
    const usage = eventData(entry, "run")?.usage;
    if (isJsonObject(usage)) return usage;
  }
  return undefined;
}

function totalOf(usage: JsonObject | undefined): number | null {
  return numberOf(usage?.total_tokens) ?? null;
}

/** Python Bub wrote what each provider said; those names are read, too. */
function hitRateOf(usage: JsonObject | undefined): number | null {
  const details = isJsonObject(usage?.prompt_tokens_details) ? usage.prompt_tokens_details : undefined;
  const cached = numberOf(usage?.cached_tokens) ?? numberOf(details?.cached_tokens);
  const input = numberOf(usage?.input_tokens) ?? numberOf(usage?.prompt_tokens);
  return cached === undefined || input === undefined || input === 0 ? null : cached / input;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function renderValue(key: string, value: string | number | null): string {
  if (value === null) return "None";
  return key === "last_token_cache_hit_rate" ? `${(Number(value) * 100).toFixed(2)}%` : String(value);
}
