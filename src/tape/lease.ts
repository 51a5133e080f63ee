// The right to write a tape, as a file beside it that only one process at a time can make.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { BubError, codeOf } from "../base/errors.ts";
import type { TapeId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import { openPrivate, writeWhole } from "./durable-file.ts";
import { fileError, orFileError } from "./file-error.ts";
import { watchFolder } from "./folder-watch.ts";
import { isBelow, isGone, type LeaseRecord, type LeaseWorld, parseRecord, recordOf } from "./lease-record.ts";
import type { Lease, LeaseHolder, LeaseOptions, LeasePort } from "./store.ts";

export interface FileLeasesOptions {
  /** Where the tapes are; a lease is `<tape>.lease` there. */
  folder: string;
  world: LeaseWorld;
  log: Logger;
  /** Milliseconds between two signs of life. */
  heartbeatMs?: number;
  /** Milliseconds after which a waiter looks by itself: a holder that dies leaves no event. */
  lookMs?: number;
}

interface OwnFile {
  readonly path: string;
  readonly fd: number;
  readonly token: string;
}

interface Sighting {
  readonly record: LeaseRecord;
  readonly beatAt: number;
}

/** A lease that is neither there nor can be made, so often in a row, is no race. */
const mostTries = 20;

function blocked(path: string): BubError {
  return new BubError(
    "config",
    `The lease ${path} can neither be read nor made: something else stands there, such as a broken link.`,
    {
      hint: "Remove it and try again.",
    },
  );
}

export class FileLeases implements LeasePort {
  readonly #options: Required<FileLeasesOptions>;
  #self: LeaseRecord | undefined;

  constructor({ heartbeatMs = 5_000, lookMs = 500, ...options }: FileLeasesOptions) {
    this.#options = { ...options, heartbeatMs, lookMs };
  }

  async acquire(tape: TapeId, { sessionId, signal, wait = true, onWait }: LeaseOptions): Promise<Lease> {
    const path = this.#pathOf(tape);
    const token = randomBytes(12).toString("hex");
    let look: LookOut | undefined;
    try {
      for (;;) {
        signal.throwIfAborted();
        const holder = orFileError("take the lease", path, () => this.#take(path, token));
        if ("fd" in holder) return new FileLease(path, holder, sessionId, this.#options);
        if (isBelow(holder, this.#options.world)) throw heldFromAbove(sessionId);
        if (!wait) throw held(sessionId, holder);
        if (look === undefined) {
          look = new LookOut(path, this.#options);
          onWait?.(holder);
        } else await look.next(signal);
      }
    } finally {
      look?.stop();
    }
  }

  async holder(tape: TapeId): Promise<LeaseHolder | undefined> {
    const seen = this.#read(this.#pathOf(tape));
    if (seen === undefined || this.#isGone(seen)) return undefined;
    const { token, pid, host } = seen.record;
    return { token, pid, host };
  }

  /** Takes the lease, or answers who is in the way. */
  #take(path: string, token: string): OwnFile | LeaseRecord {
    for (let tries = 1; ; tries++) {
      const seen = this.#read(path);
      if (seen !== undefined && !this.#isGone(seen)) return seen.record;
      const own = this.#writeOwn(path, token);
      let taken = false;
      try {
        const rival = seen === undefined ? undefined : this.#succeed(path, path, seen.record, own);
        if (seen === undefined) linked(own.path, path);
        if (rival !== undefined) return rival;
        taken = this.#isOwn(path, token);
        if (taken) return own;
      } finally {
        unlinkQuietly(own.path);
        if (!taken) closeSync(own.fd);
      }
      // Somebody was quicker: look who it is. Nobody is that quick so often: then a broken link stands in the way.
      if (tries === mostTries) throw blocked(path);
    }
  }

  /**
   * Puts our own record in the place of one whose process is gone. Only the holder of the one claim on that record may;
   * a claim whose process is gone is succeeded to in the same way. Answers a living rival that holds the claim.
   */
  #succeed(path: string, place: string, gone: LeaseRecord, own: OwnFile): LeaseRecord | undefined {
    const claim = `${path}.after.${gone.token}`;
    if (!linked(own.path, claim)) {
      const holder = this.#read(claim);
      if (holder === undefined) return undefined;
      if (!this.#isGone(holder)) return holder.record;
      const rival = this.#succeed(path, claim, holder.record, own);
      if (rival !== undefined || !this.#isOwn(claim, own.token)) return rival;
    }
    // The claim is our own record: moving it into place leaves none behind.
    if (this.#isOwn(place, gone.token)) renameQuietly(claim, place);
    else if (this.#isOwn(claim, own.token)) unlinkQuietly(claim);
    return undefined;
  }

  /** The file stays open: signs of life go to what we made, never to what others put in its place. */
  #writeOwn(path: string, token: string): OwnFile {
    this.#self ??= recordOf(this.#options.world, "");
    const own = { path: `${path}.${token}`, fd: openPrivate(`${path}.${token}`, "wx"), token };
    try {
      writeWhole(own.fd, `${JSON.stringify({ ...this.#self, token })}\n`);
      beat(own.fd, this.#options.world.clock);
      return own;
    } catch (error) {
      closeSync(own.fd);
      unlinkQuietly(own.path);
      throw error;
    }
  }

  #isOwn(path: string, token: string): boolean {
    return this.#read(path)?.record.token === token;
  }

  #read(path: string): Sighting | undefined {
    try {
      const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const { mtimeMs, ino } = fstatSync(fd);
        return { record: parseRecord(readFileSync(fd, "utf8"), `unreadable-${ino}`), beatAt: mtimeMs };
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw fileError("read the lease", path, error);
    }
  }

  #isGone({ record, beatAt }: Sighting): boolean {
    return isGone(record, beatAt, this.#options.world);
  }

  #pathOf(tape: TapeId): string {
    return join(this.#options.folder, `${tape}.lease`);
  }
}

class FileLease implements Lease {
  readonly token: string;
  readonly #path: string;
  readonly #sessionId: string;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #fd: number;
  /** When our file last changed, links to it included, as of the last look at its name. */
  #seenAt: number | undefined;
  #released = false;

  constructor(path: string, own: OwnFile, sessionId: string, { world, heartbeatMs }: Required<FileLeasesOptions>) {
    this.token = own.token;
    this.#path = path;
    this.#sessionId = sessionId;
    this.#fd = own.fd;
    this.#heartbeat = setInterval(() => beat(own.fd, world.clock), heartbeatMs).unref();
  }

  check(): void {
    if (!this.#released && this.#isStillOurs()) return;
    throw new BubError("temporary", `session '${this.#sessionId}' was taken over by another process`, {
      hint: "Nothing more was written; send the message again.",
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#released) return;
    clearInterval(this.#heartbeat);
    closeSync(this.#fd);
    if (this.#isOurs()) unlinkQuietly(this.#path);
    this.#released = true;
  }

  /** Whoever takes the lease puts a file in the place of ours, and that changes ours: without a change, no look at the name. */
  #isStillOurs(): boolean {
    const { ctimeMs } = fstatSync(this.#fd);
    if (ctimeMs === this.#seenAt) return true;
    this.#seenAt = this.#isOurs() ? ctimeMs : undefined;
    return this.#seenAt !== undefined;
  }

  #isOurs(): boolean {
    try {
      return parseRecord(readFileSync(this.#path, "utf8"), "").token === this.token;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw fileError("read the lease", this.#path, error);
    }
  }
}

/** Waits for a sign that a lease may be free: its file changed, or some time went by. */
class LookOut {
  readonly #lookMs: number;
  readonly #stop: () => void;
  #changed = false;
  #wake: () => void = () => undefined;

  constructor(path: string, { lookMs, log }: Required<FileLeasesOptions>) {
    this.#lookMs = lookMs;
    const folder = dirname(path);
    const name = path.slice(folder.length + 1);
    const refused = (error: unknown) => log.debug("the lease is looked at by time", { path, error });
    this.#stop = watchFolder(folder, (changed) => (changed === undefined || changed === name) && this.#notice(), {
      refused,
      fallbackMs: lookMs,
    });
  }

  /** @throws the signal's reason */
  async next(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#changed || signal.aborted) return resolve();
      const timer = setTimeout(() => this.#wake(), this.#lookMs);
      this.#wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", this.#wake);
        resolve();
      };
      signal.addEventListener("abort", this.#wake, { once: true });
    });
    this.#changed = false;
    signal.throwIfAborted();
  }

  stop(): void {
    this.#stop();
  }

  #notice(): void {
    this.#changed = true;
    this.#wake();
  }
}

/** Refuses to wait. */
export function held(sessionId: string, { pid, host }: LeaseHolder): BubError {
  return new BubError("temporary", `session '${sessionId}' is held by process ${pid} on ${host}`, {
    hint: "Try again when its turn is over, or leave out --no-wait.",
  });
}

function heldFromAbove(sessionId: string): BubError {
  return new BubError(
    "invalid_input",
    `session '${sessionId}' is held by the run that started this process; use --new or --session-id`,
  );
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** What was moved or removed by others is no longer ours to move or remove. */
function renameQuietly(from: string, to: string): void {
  unlessMissing(() => renameSync(from, to));
}

function unlinkQuietly(path: string): void {
  unlessMissing(() => unlinkSync(path));
}

function unlessMissing(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function beat(fd: number, clock: Clock): void {
  const now = clock.now();
  try {
    futimesSync(fd, now, now);
  } catch {
    // A beat that fails is one that was missed; `check` tells when the lease is lost by it.
  }
}
