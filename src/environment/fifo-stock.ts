// Real pipes for shells, made ahead of time: Node itself only gives sockets, which break `tee /dev/stderr`.
import { spawn } from "node:child_process";
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BubError, messageOf } from "../base/errors.ts";

/** Both ends of a pipe that has no name any more. Whoever takes it closes both. */
export interface Fifo {
  readonly read: number;
  readonly write: number;
}

const batchSize = 32;
/** More are made when there are fewer. */
const lowWater = 4;

/** Keeps up to a batch of pipes; one short `mkfifo` process makes many, and none is waited for after the first. */
export class FifoStock {
  readonly #directoryPrefix: string;
  #users = 0;
  #ready: Fifo[] = [];
  #making: Promise<void> | undefined;

  private constructor(directoryPrefix: string) {
    this.#directoryPrefix = directoryPrefix;
  }

  /**
   * The stock of a place, the same for everyone who asks; close it as often as it was opened.
   * @param directoryPrefix how the folders' paths begin in which pipes have names for a moment
   */
  static open(directoryPrefix: string): FifoStock {
    const stock = stocks.get(directoryPrefix) ?? new FifoStock(directoryPrefix);
    stocks.set(directoryPrefix, stock);
    stock.#users++;
    return stock;
  }

  /** @throws BubError `temporary` when no pipe can be made */
  async take(): Promise<Fifo> {
    while (this.#ready.length === 0) await this.#make();
    return this.#ready.pop() as Fifo;
  }

  /** Makes more when few are left; call it while something else is running anyway. */
  refill(): void {
    if (this.#ready.length < lowWater) this.#make().catch(() => undefined);
  }

  /** Gives its file descriptors back, for when there are too few. */
  release(): void {
    for (const fifo of this.#ready.splice(0)) closeFifo(fifo);
  }

  close(): void {
    if (--this.#users > 0) return;
    stocks.delete(this.#directoryPrefix);
    this.release();
  }

  #make(): Promise<void> {
    this.#making ??= makeFifos(this.#directoryPrefix)
      .then((made) => {
        this.#ready.push(...made);
        if (this.#users === 0) this.release();
      })
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }
}

const stocks = new Map<string, FifoStock>();

export function closeFifo({ read, write }: Fifo): void {
  closeSync(read);
  closeSync(write);
}

async function makeFifos(directoryPrefix: string): Promise<Fifo[]> {
  const directory = makePrivateDirectory(directoryPrefix);
  try {
    const paths = Array.from({ length: batchSize }, (_, index) => join(directory, String(index)));
    await runMkfifo(paths);
    return openAll(paths);
  } catch (error) {
    throw new BubError("temporary", `no pipe for a shell could be made: ${messageOf(error)}`, { cause: error });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** In the system's folder for such things where the wanted one takes none. */
function makePrivateDirectory(prefix: string): string {
  try {
    mkdirSync(dirname(prefix), { recursive: true, mode: 0o700 });
    return mkdtempSync(prefix);
  } catch {
    return mkdtempSync(join(tmpdir(), "bub-pipes-"));
  }
}

function runMkfifo(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo exited with code ${code}`))));
  });
}

function openAll(paths: readonly string[]): Fifo[] {
  const fifos: Fifo[] = [];
  try {
    for (const path of paths) fifos.push(openBothEnds(path));
  } catch (error) {
    // Too few file descriptors: one pipe will do, and the shell needs some too.
    const [first, ...others] = fifos;
    for (const fifo of others) closeFifo(fifo);
    if (first === undefined) throw error;
    return [first];
  }
  return fifos;
}

/** The reading end first, so that opening the writing end does not wait for a reader. */
function openBothEnds(path: string): Fifo {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}
