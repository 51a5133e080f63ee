// What a tape says about its session so far: settings, loaded tools, counts. Pure functions over entries.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { eventData, type TapeEntry } from "./entry.ts";

export interface SessionSettings {
  readonly model?: string;
  readonly reasoning_effort?: string;
  readonly code_mode?: boolean;
  readonly readonly?: boolean;
}

/** True as of one entry, which counts too. Rides on some entries as `meta.facts`, so that nobody reads the whole tape. */
export interface TapeFacts {
  readonly settings: SessionSettings;
  /** Deferred tools in the order in which they were loaded. */
  readonly loaded: readonly string[];
  readonly entries: number;
  readonly anchors: number;
  /** Ids of the last inbox items that came onto the tape. */
  readonly inbox: readonly string[];
}

/** What one entry changes. */
export interface FactsChange {
  /** null clears a setting. */
  readonly settings?: { readonly [name in keyof SessionSettings]: SessionSettings[name] | null };
  readonly loaded?: readonly string[];
  readonly inbox?: readonly string[];
}

export const noFacts: TapeFacts = { settings: {}, loaded: [], entries: 0, anchors: 0, inbox: [] };

const mostInboxIds = 256;

/** The facts after these entries as well. */
export function foldFacts(facts: TapeFacts, later: readonly TapeEntry[]): TapeFacts {
  let folded = facts;
  let { entries, anchors } = facts;
  for (const entry of later) {
    const change = changeOf(entry);
    if (change !== undefined) folded = applyChange(folded, change);
    entries++;
    if (entry.kind === "anchor") anchors++;
  }
  return { settings: folded.settings, loaded: folded.loaded, entries, anchors, inbox: folded.inbox };
}

export function applyChange(facts: TapeFacts, { settings, loaded, inbox }: FactsChange): TapeFacts {
  return {
    ...facts,
    settings: settings === undefined ? facts.settings : applySettings(facts.settings, settings),
    loaded: loaded === undefined ? facts.loaded : [...new Set([...facts.loaded, ...loaded])],
    inbox: inbox === undefined ? facts.inbox : [...facts.inbox, ...inbox].slice(-Math.max(mostInboxIds, inbox.length)),
  };
}

/** What the entry changes in settings, loaded tools or taken inbox items; most entries change nothing. */
export function changeOf(entry: TapeEntry): FactsChange | undefined {
  const inbox = inboxIdsOf(entry.meta);
  const event = entry.kind === "event" ? eventChange(entry) : undefined;
  return inbox.length === 0 ? event : { ...event, inbox };
}

/** The inbox items that an entry took: a message is one of them, a tool's result may hold several. */
export function inboxIdsOf({ inbox }: JsonObject): readonly string[] {
  return typeof inbox === "string" ? [inbox] : textsIn(inbox);
}

/** Reads `meta.facts`; undefined when there are none. */
export function parseFacts(value: JsonValue | undefined): TapeFacts | undefined {
  if (!isJsonObject(value) || typeof value.entries !== "number" || typeof value.anchors !== "number") return undefined;
  const { entries, anchors } = value;
  const settings = isJsonObject(value.settings) ? applySettings({}, settingsIn(value.settings)) : {};
  return { settings, loaded: textsIn(value.loaded), entries, anchors, inbox: textsIn(value.inbox) };
}

/** True for the event that ends a step. */
export function isRun(entry: { kind: string; payload: JsonObject }): boolean {
  return entry.kind === "event" && entry.payload.name === "run";
}

function eventChange(entry: TapeEntry): FactsChange | undefined {
  const loaded = eventData(entry, "tool.loaded");
  if (loaded !== undefined) return { loaded: textsIn(loaded.names) };
  for (const [setting, event] of switches) {
    const data = eventData(entry, event);
    if (data !== undefined) return { settings: settingsIn({ [setting]: data[setting] }) };
  }
  return undefined;
}

const switches = [
  ["model", "model_switch"],
  ["reasoning_effort", "reasoning_effort_switch"],
  ["code_mode", "code_mode_switch"],
  ["readonly", "readonly_switch"],
] as const satisfies readonly (readonly [keyof SessionSettings, string])[];

/** The settings that have a value of their type, or null; others are taken as not said. */
function settingsIn(data: JsonObject): NonNullable<FactsChange["settings"]> {
  const text = (value: unknown) => (typeof value === "string" || value === null ? value : undefined);
  const flag = (value: unknown) => (typeof value === "boolean" || value === null ? value : undefined);
  return {
    model: text(data.model),
    reasoning_effort: text(data.reasoning_effort),
    code_mode: flag(data.code_mode),
    readonly: flag(data.readonly),
  };
}

function applySettings(settings: SessionSettings, change: NonNullable<FactsChange["settings"]>): SessionSettings {
  const said = Object.entries(change).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...settings, ...Object.fromEntries(said) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
