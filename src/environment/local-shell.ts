// One running shell: its merged output, its end, and how it is stopped.
import type { ChildProcess } from "node:child_process";
import { readSync } from "node:fs";
import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";
import { constants } from "node:os";
import type { ShellExit, ShellProcess, StopReason } from "./environment.ts";
import { endShellProcesses, type ShellTrace, survivorsOf } from "./shell-processes.ts";

/** How long after the shell's exit its output may still arrive, whoever still holds the pipe. */
const drainMs = 50;
/** The most that a pipe can hold: what the shell wrote before it ended is in there. */
const longestRest = 1024 * 1024;

/** Bytes of one read; shared, since a chunk is used up before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(65_536);

type Take = (chunk: Uint8Array) => void | Promise<void>;

export interface LocalShellOptions {
  child: ChildProcess & { readonly pid: number };
  /** The reading end of the pipe that the child writes to; taken over. */
  pipe: number;
  trace: ShellTrace;
  /** Told at the shell's exit what it leaves behind in its group. */
  onTrace: (trace: ShellTrace) => void;
}

export class LocalShell implements ShellProcess {
  readonly exited: Promise<ShellExit>;
  readonly #options: LocalShellOptions;
  readonly #pipe: Socket;
  #trace: ShellTrace;
  #take: Take = () => undefined;
  #ending = false;
  #atEnd = false;
  #onEnd: () => void = () => undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: LocalShellOptions) {
    this.#options = options;
    this.#trace = options.trace;
    this.#pipe = this.#openPipe(options.pipe);
    this.exited = new Promise((resolve) => {
      // A child that was started fails by `error` only when it cannot be signalled; its exit still comes.
      options.child.on("error", () => undefined);
      options.child.once("exit", (code, signal) => this.#drain(() => resolve(shellExit(code, signal))));
    });
  }

  get ending(): boolean {
    return this.#ending;
  }

  onOutput(take: Take): void {
    this.#take = take;
  }

  async stop(_reason: StopReason, graceMs: number): Promise<void> {
    this.#stopping ??= this.#stop(graceMs).finally(() => {
      this.#stopping = undefined;
    });
    await this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    const isGone = await endShellProcesses([this.#trace], graceMs);
    if (isGone) await this.exited;
  }

  #openPipe(fd: number): Socket {
    const onread: OnReadOpts = {
      buffer: readBuffer,
      callback: (length, bytes) => this.#receive(bytes.subarray(0, length)),
    };
    // The types know `onread` for connections only; the constructor takes it as well.
    const pipe = new Socket({ fd, readable: true, writable: false, onread } as SocketConstructorOpts);
    pipe.on("error", () => pipe.destroy());
    pipe.once("end", () => pipe.destroy());
    pipe.once("close", () => {
      this.#atEnd = true;
      this.#onEnd();
    });
    return pipe;
  }

  /** False lets the pipe rest until the taker is ready for more. */
  #receive(chunk: Uint8Array): boolean {
    const wait = this.#take(chunk);
    if (wait === undefined) return true;
    const resume = () => void this.#pipe.resume();
    wait.then(resume, resume);
    return false;
  }

  /** Waits for the pipe's end, but not for long: others may hold it for hours, and print all the while. */
  #drain(settle: () => void): void {
    this.#ending = true;
    this.#rememberSurvivors();
    const finish = () => {
      clearTimeout(timer);
      this.#onEnd = () => undefined;
      if (!this.#atEnd) this.#takeRest();
      this.#take = () => undefined;
      this.#pipe.unref();
      this.#pipe.resume();
      settle();
    };
    const timer = setTimeout(finish, drainMs);
    this.#onEnd = finish;
    if (this.#atEnd) finish();
  }

  #takeRest(): void {
    for (let taken = 0; taken < longestRest; ) {
      const length = readNow(this.#options.pipe);
      if (length === 0) return;
      this.#take(readBuffer.subarray(0, length));
      taken += length;
    }
  }

  /** Once the leader is gone, only members that were seen in its group prove later that the group is still the shell's. */
  #rememberSurvivors(): void {
    const { shellId, group } = this.#trace;
    const witnesses = survivorsOf(this.#options.child.pid);
    this.#trace = witnesses.length === 0 ? { shellId, witnesses } : { shellId, group, witnesses };
    this.#options.onTrace(this.#trace);
  }
}

/** How many bytes came; 0 when there are none now, or will be none. */
function readNow(pipe: number): number {
  try {
    return readSync(pipe, readBuffer);
  } catch {
    return 0;
  }
}

function shellExit(code: number | null, signal: NodeJS.Signals | null): ShellExit {
  return signal === null ? { exitCode: code ?? 0 } : { exitCode: -constants.signals[signal], signal };
}
