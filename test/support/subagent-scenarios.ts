// Whole conversations with subagents as data: how a scenario file is read, and what is compared with what it expects.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import type { StreamEvent } from "../../src/base/events.ts";
import { isJsonObject, parseJson } from "../../src/base/json.ts";
import type { Settings } from "../../src/kernel/settings.ts";
import type { TapeEntry } from "../../src/tape/entry.ts";
import { root } from "./source-files.ts";

/** How one result came to the model. */
interface ReadResult {
  readonly by: "message" | "wait";
  readonly status: string;
  readonly output: string;
  /** A part of its error. */
  readonly error?: string;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly settings?: Partial<Settings>;
  /** Runs in the real `bub`, too. */
  readonly cli?: boolean;
  /** Runs through the SDK instead of a runtime. */
  readonly sdk?: boolean;
  /** In the form of a script file; `$1` in arguments stands for the id of the first task. */
  readonly script: object;
  /** Messages, and pauses until so many tasks have ended. */
  readonly turns: readonly (string | { readonly until_ended: number })[];
  readonly expect: {
    readonly statuses: readonly string[];
    readonly answers?: readonly string[];
    /** Labels of the tasks in the order in which they started. */
    readonly started?: readonly string[];
    readonly most_at_once?: number;
    /** Values of tools, by alias, in the order of their results; null for an error. */
    readonly results?: Readonly<Record<string, readonly unknown[]>>;
    readonly read: readonly ReadResult[];
    /** The order of `read` and `results` does not matter. */
    readonly unordered?: boolean;
  };
}

/** What a scenario came to. */
export interface ScenarioRun {
  /** Of all turns. */
  readonly events: readonly StreamEvent[];
  /** The parent's tape. */
  readonly entries: readonly TapeEntry[];
}

export function readScenarios(): readonly Scenario[] {
  const folder = join(root, "test", "scenarios", "subagents");
  const files = readdirSync(folder).filter((name) => name.endsWith(".yml"));
  return files.map((file) => ({
    name: file.slice(0, -".yml".length),
    ...(parse(readFileSync(join(folder, file), "utf8")) as Omit<Scenario, "name">),
  }));
}

export function expectScenario({ expect: wanted }: Scenario, { events, entries }: ScenarioRun): void {
  const finals = events.filter((event) => event.type === "final");
  expect(finals.map(({ status }) => status)).toEqual(wanted.statuses);
  if (wanted.answers !== undefined) expect(finals.map(({ text }) => text)).toEqual(wanted.answers);
  if (wanted.started !== undefined) expect(startedIn(events)).toEqual(wanted.started);
  if (wanted.most_at_once !== undefined) expect(mostAtOnce(events)).toBe(wanted.most_at_once);
  for (const [tool, values] of Object.entries(wanted.results ?? {})) {
    const results = events.flatMap((event) => (event.type === "tool-result" && event.name === tool ? [event] : []));
    const sorted = (list: readonly unknown[]) => [...list].sort((one) => (one === null ? 1 : -1));
    const found = results.map(({ value }) => value);
    expect(wanted.unordered ? sorted(found) : found).toMatchObject(wanted.unordered ? sorted(values) : [...values]);
  }
  expectRead(wanted, readIn(entries));
}

function expectRead({ read, unordered = false }: Scenario["expect"], found: readonly FoundResult[]): void {
  const byOutput = (one: { output: string }, other: { output: string }) => (one.output < other.output ? -1 : 1);
  const inOrder = <Result extends { output: string }>(results: readonly Result[]) =>
    unordered ? [...results].sort(byOutput) : [...results];
  const plain = inOrder(found).map(({ by, status, output }) => ({ by, status, output }));
  expect(plain).toEqual(inOrder(read).map(({ by, status, output }) => ({ by, status, output })));
  for (const [index, { error }] of inOrder(read).entries()) {
    if (error === undefined) expect(inOrder(found)[index]?.errors).toEqual([]);
    else expect(inOrder(found)[index]?.errors.join("\n")).toContain(error);
  }
  // Exactly once, whatever way each came in.
  expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
}

interface FoundResult {
  readonly id: string;
  readonly by: "message" | "wait";
  readonly status: string;
  readonly output: string;
  readonly errors: readonly string[];
}

/** The results that a tape says were read, from the entries themselves. */
export function readIn(entries: readonly TapeEntry[]): FoundResult[] {
  return entries.flatMap(({ kind, payload, meta }) => {
    if (!Array.isArray(meta.tasks) || meta.carried === true) return [];
    if (kind === "message") return [inMessage(String(payload.content))];
    const [text] = Array.isArray(payload.results) ? payload.results : [];
    const value = typeof text === "string" ? parseJson(text) : undefined;
    const tasks = isJsonObject(value) && Array.isArray(value.tasks) ? value.tasks.filter(isJsonObject) : [];
    return tasks.map(({ task_id: id, status, output, errors }) => ({
      id: String(id),
      by: "wait" as const,
      status: String(status),
      output: String(output),
      errors: (errors as string[]) ?? [],
    }));
  });
}

function inMessage(text: string): FoundResult {
  const form =
    /^<subagent-notification task_id="(sub-[0-9a-f]{8})" status="(\w+)">\n([\s\S]*)\n<\/subagent-notification>$/;
  const [, id = "", status = "", body = ""] = form.exec(text) ?? [];
  const lines = body.split("\n");
  const errors = lines.filter((line) => line.startsWith("[Error: "));
  const output = lines.filter((line) => !line.startsWith("[Error: ")).join("\n");
  return { id, by: "message", status, output, errors };
}

function startedIn(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => (event.type === "subagent-started" ? [event.task.description] : []));
}

function mostAtOnce(events: readonly StreamEvent[]): number {
  let running = 0;
  let most = 0;
  for (const { type } of events) {
    if (type === "subagent-started") most = Math.max(most, ++running);
    if (type === "subagent-finished") running -= 1;
  }
  return most;
}
