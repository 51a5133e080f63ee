// The default storage: everything of a session as files below one home folder.
import { readdir } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { type Clock, systemClock } from "../base/clock.ts";
import { BubError, codeOf } from "../base/errors.ts";
import { parseSidecarId, type TapeId } from "../base/ids.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import { fileError } from "./file-error.ts";
import { FileLog, type FsyncPolicy } from "./file-log.ts";
import { FileShelf } from "./file-shelf.ts";
import { FileInboxes } from "./inbox.ts";
import { FileLeases, type FileLeasesOptions } from "./lease.ts";
import { type LeaseWorld, systemWorld } from "./lease-record.ts";
import { FileMediaStore } from "./media-store.ts";
import { SessionIndex } from "./session-index.ts";
import type { SessionRecord, TapeLog, TapeStorage, TapeStore } from "./store.ts";
import { FileTasks } from "./tasks.ts";

export interface FileStorageOptions extends Partial<Pick<FileLeasesOptions, "heartbeatMs" | "lookMs">> {
  /** Absolute path; made with the first file. */
  home: string;
  clock?: Clock;
  log?: Logger;
  /** `BUB_TAPE_FSYNC`; default `step`. */
  fsync?: FsyncPolicy;
  /** What the leases ask about processes. */
  world?: LeaseWorld;
}

/** Storage in files: `tapes/`, `inbox/`, `tasks/` and `media/` below the home. Nothing is made before the first write. */
export function createFileStorage({
  home,
  clock = systemClock,
  log = silentLogger,
  fsync = "step",
  world = systemWorld(),
  ...lease
}: FileStorageOptions): TapeStorage {
  const folder = join(home, "tapes");
  const inboxes = new FileInboxes({ folder: join(home, "inbox"), clock, log });
  return {
    tapes: new FileTapeStore({ folder, clock, fsync }),
    leases: new FileLeases({ folder, world, log, ...lease }),
    inboxes,
    tasks: new FileTasks({ folder: join(home, "tasks"), inboxes }),
    media: new FileMediaStore(join(home, "media")),
    shelf: new FileShelf({ folder, besides: [join(home, "inbox"), join(home, "tasks")], clock }),
    // Files are closed by whoever opened them.
    async [Symbol.asyncDispose]() {},
  };
}

/** A tape's file wherever it lies, for reading. @throws BubError `config` when it cannot be opened */
export function openTapeFile(path: string): TapeLog {
  return new FileLog({ id: basename(path) as TapeId, path, clock: systemClock, fsync: "never" });
}

const suffix = ".jsonl";

class FileTapeStore implements TapeStore {
  readonly #options: { folder: string; clock: Clock; fsync: FsyncPolicy };
  readonly #index: SessionIndex;

  constructor(options: { folder: string; clock: Clock; fsync: FsyncPolicy }) {
    this.#options = options;
    this.#index = new SessionIndex(join(options.folder, "index.jsonl"));
  }

  async open(tape: TapeId): Promise<TapeLog> {
    const { clock, fsync } = this.#options;
    return new FileLog({ id: tape, path: this.locate(tape), clock, fsync });
  }

  locate(tape: TapeId): string {
    if (!/^[\w-][\w.-]*$/.test(tape)) throw new BubError("invalid_input", `'${tape}' cannot name a tape`);
    return join(this.#options.folder, tape + suffix);
  }

  async register(session: SessionRecord): Promise<void> {
    this.#index.add(session);
  }

  async sessions(): Promise<readonly SessionRecord[]> {
    return this.#index.list();
  }

  async sidecars(tape: TapeId): Promise<readonly string[]> {
    const names = await namesIn(this.#options.folder);
    return names.flatMap((name) => {
      const own = name.endsWith(suffix) ? parseSidecarId(name.slice(0, -suffix.length) as TapeId) : undefined;
      return own?.tape === tape ? [own.sidecar] : [];
    });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await promisify(readdir)(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw fileError("look into", folder, error);
  }
}
