// `bub run`: one message, one turn, its answer on stdout.
import type { StepStatus } from "../../base/events.ts";
import { neutralise } from "../../base/terminal-text.ts";
import { createOneShot } from "../../channels/one-shot/plugin.ts";
import { type Inbound, sessionIdOf } from "../../kernel/envelope.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { LeaseHolder } from "../../tape/store.ts";
import { type CommandContext, UsageError } from "../command-context.ts";
import { type Message, readMessage } from "../message.ts";
import { openRuntime } from "../open-runtime.ts";
import { type SessionOptions, sessionOf } from "../session-options.ts";

export interface RunCommandOptions extends SessionOptions {
  json?: boolean;
  /** Fail instead of waiting for another process. */
  noWait?: boolean;
  file?: readonly string[];
}

/** Answers the exit code: 0 for an answer, 1 for an error, 130 (143 by SIGTERM) when cancelled. */
export async function runRun(
  words: readonly string[],
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const message = await readMessage(words, options.file ?? [], context);
  using oneShot = createOneShot({ answers: stdout, progress: stderr, json: options.json });
  await using runtime = await openRuntime(context, { plugins: [oneShot.plugin] });
  const inbound: Inbound = { ...inboundOf(message, options, runtime), model: context.options.model };
  using waiting = new WaitingNotice(sessionIdOf(inbound), context);
  const run = {
    signal: stop.signal,
    wait: options.noWait !== true,
    onWait: (holder: LeaseHolder) => waiting.start(holder),
  };
  let status: StepStatus = "error";
  runtime.events.on("model-call-started", () => oneShot.asking());
  for await (const event of runtime.run(inbound, run)) {
    waiting.end();
    oneShot.show(event);
    if (event.type === "final") status = event.status;
  }
  return exitCodeOf(status, context);
}

function inboundOf(message: Message, options: RunCommandOptions, { settings }: Runtime): Inbound {
  const { content, text, isExtended } = message;
  // Piped data after a command's words would run as a part of it.
  if (isExtended && text.startsWith(settings.commandPrefix)) {
    throw new UsageError(`a text command ("${settings.commandPrefix}…") takes neither piped text nor files.`);
  }
  return { ...sessionOf(options), senderId: options.senderId, content, commands: true };
}

function exitCodeOf(status: StepStatus, { stop }: CommandContext): number {
  if (status === "ok") return 0;
  return status === "cancelled" ? (stop.exitCode ?? 130) : 1;
}

/** Says after a second that another process has the conversation. */
class WaitingNotice implements Disposable {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly sessionId: string,
    readonly context: CommandContext,
  ) {}

  start({ pid }: LeaseHolder): void {
    const who = pid > 0 ? `process ${pid}` : "an owner that its lease file does not tell";
    const text = `bub: waiting for ${who}, which has the session '${this.sessionId}' (Ctrl-C cancels, --no-wait would not wait, --new starts another)\n`;
    this.#timer ??= setTimeout(() => this.context.stderr.write(neutralise(text)), 1000);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
