// What outlives this process about its shells: a file per process in `<home>/shells` that says what to end.
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { ownRecordPath, recordHeader, renderTrace, shellsDirectory } from "./dead-owners.ts";
import type { ShellTrace } from "./shell-processes.ts";
import { Watchdog } from "./watchdog.ts";

/** The file is written anew when it has this many lines more than it needs. */
const mostStaleLines = 256;

/** The record of this process in one home; every environment of the process there shares it. */
export class ShellRecord {
  readonly #home: string;
  readonly #path: string;
  readonly #lines = new Map<string, string>();
  #users = 0;
  #file: number | undefined;
  #stale = 0;
  #watchdog: Watchdog | undefined;

  constructor(home: string) {
    this.#home = home;
    this.#path = ownRecordPath(home);
  }

  /** The record of `home`, the same for everyone who asks; close it as often as it was opened. */
  static open(home: string): ShellRecord {
    const record = records.get(home) ?? new ShellRecord(home);
    records.set(home, record);
    record.#users++;
    return record;
  }

  /**
   * Writes down what is known of a shell: before its start, and whenever more is known.
   * @throws the system's error when the record cannot be written
   */
  put(trace: ShellTrace): void {
    const lines = renderTrace(trace);
    if (this.#lines.has(trace.shellId)) this.#stale++;
    this.#lines.set(trace.shellId, lines);
    const file = this.#openFile();
    if (this.#stale > mostStaleLines) this.#rewrite();
    else writeSync(file, lines);
    if (this.#watchdog?.isRunning !== true) this.#watchdog = new Watchdog(this.#path);
  }

  /** Forgets shells of which nothing is left. Lines that stay in the file until later do no harm. */
  remove(shellIds: Iterable<string>): void {
    for (const shellId of shellIds) if (this.#lines.delete(shellId)) this.#stale++;
  }

  /** The last of its users removes the record and lets the watchdog go. */
  async close(): Promise<void> {
    if (--this.#users > 0) return;
    records.delete(this.#home);
    if (this.#file !== undefined) {
      closeSync(this.#file);
      this.#file = undefined;
      rmSync(this.#path, { force: true });
    }
    await this.#watchdog?.close();
  }

  #openFile(): number {
    if (this.#file !== undefined) return this.#file;
    mkdirSync(shellsDirectory(this.#home), { recursive: true, mode: 0o700 });
    this.#file = openSync(this.#path, "a", 0o600);
    writeSync(this.#file, recordHeader());
    return this.#file;
  }

  #rewrite(): void {
    const next = `${this.#path}.new`;
    writeFileSync(next, [recordHeader(), ...this.#lines.values()].join(""), { mode: 0o600 });
    renameSync(next, this.#path);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = openSync(this.#path, "a", 0o600);
    this.#stale = 0;
  }
}

const records = new Map<string, ShellRecord>();
