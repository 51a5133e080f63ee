// What ends a command from outside: Ctrl-C, a polite kill, a closed terminal, a reader that left.
import { CancelledError } from "../base/abort.ts";

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof exitCodes;

export class StopSignals implements Disposable {
  readonly #controller = new AbortController();
  readonly #handlers: readonly [StopSignal, () => void][];
  #exitCode: number | undefined;
  /** What Ctrl-C does instead of ending the command. */
  onInterrupt: (() => void) | undefined;

  constructor() {
    const names = Object.keys(exitCodes) as StopSignal[];
    this.#handlers = names.map((name) => [name, () => this.#receive(name)]);
    for (const [name, handler] of this.#handlers) process.on(name, handler);
  }

  /** Aborts when the command shall end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit code of a command that was ended from outside. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  stop(exitCode: number): void {
    // A failure counts also when the reader has left before.
    this.#exitCode ||= exitCode;
    this.#controller.abort(new CancelledError());
  }

  [Symbol.dispose](): void {
    for (const [name, handler] of this.#handlers) process.off(name, handler);
  }

  #receive(name: StopSignal): void {
    if (name === "SIGINT" && this.onInterrupt !== undefined) this.onInterrupt();
    // Whoever asks twice does not want to wait for an orderly end; what is left is cleaned up by its watchdog.
    else if (this.signal.aborted) process.exit(exitCodes[name]);
    else this.stop(exitCodes[name]);
  }
}
