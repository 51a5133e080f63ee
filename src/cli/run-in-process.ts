// Runs one command in this process: its streams, its signals, its failures as sentences, its exit code.
import { sentencesOf } from "../base/errors.ts";
import { neutralise } from "../base/terminal-text.ts";
import { createStreamOutput, type TextOutput } from "../base/text-output.ts";
import { type CommandContext, type GlobalOptions, UsageError } from "./command-context.ts";
import { StopSignals } from "./stop-signals.ts";
import { renderStray } from "./stray-error.ts";

/** Whoever reads no further, as `head` does, has what was wanted: the command ends, and that is no failure. */
const readerLeft = 0;

type Work = (context: CommandContext) => Promise<number>;

/** Ends the process when everything that was written is on its way: 1 after an error, 2 after one of usage. */
export async function runInProcess({ options, work }: { options: GlobalOptions; work: Work }): Promise<never> {
  const { env } = process;
  const stop = new StopSignals();
  const stdout = createStreamOutput(process.stdout, { env, onClosed: () => stop.stop(readerLeft) });
  const stderr = createStreamOutput(process.stderr, { env });
  const context: CommandContext = { options, env, stdout, stderr, stop, openStdin: () => process.stdin };
  let hasStray = false;
  process.on("uncaughtException", (error) => {
    // What throws once may throw for ever, until everything has stopped.
    if (!hasStray) stderr.write(`bub: ${neutralise(renderStray(error))}\n`);
    hasStray = true;
    stop.stop(1);
  });
  const isOver = watchForEarlyEnd(context);
  const ownCode = await runReported(work, context);
  const exitCode = hasStray && ownCode === 0 ? 1 : ownCode;
  isOver();
  await Promise.all([stdout.drained(), stderr.drained()]);
  if (stdout.failure === undefined) process.exit(exitCode);
  stderr.write(`bub: stdout cannot be written: ${stdout.failure.message}\n`);
  await stderr.drained();
  process.exit(1);
}

/** Code of plugins can end the process, or leave nothing to wait for: neither is a success. Gives what ends the watch. */
function watchForEarlyEnd({ stop, stderr }: CommandContext): () => void {
  const tell = (exitCode: number): void => {
    if (stop.signal.aborted) return;
    if (exitCode === 0) process.exitCode = 1;
    stderr.write("bub: the process ended before the command did: a plugin ended it, or waits for what never comes.\n");
  };
  process.on("exit", tell);
  return () => process.off("exit", tell);
}

async function runReported(work: Work, context: CommandContext): Promise<number> {
  const { stop, stderr } = context;
  try {
    return await work(context);
  } catch (error) {
    if (stop.signal.aborted) return stop.exitCode ?? 130;
    report(stderr, error);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** One error as one sentence, and what to do about it. */
function report(stderr: TextOutput, error: unknown): void {
  stderr.write(`bub: ${neutralise(sentencesOf(error))}\n`);
}
