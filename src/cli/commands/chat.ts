// `bub chat`: a conversation in the terminal.
import { styled } from "../../base/text-output.ts";
import { version } from "../../base/version.ts";
import { Chat, createTerminal, openLineInput } from "../../channels/terminal/plugin.ts";
import { sessionIdOf } from "../../kernel/envelope.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { CommandContext } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";
import { type SessionOptions, sessionOf } from "../session-options.ts";

/** Answers 0 when the person leaves, 1 when a piped message failed, the signal's code when stopped by one. */
export async function runChat(
  words: readonly string[],
  options: SessionOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const stdin = context.openStdin();
  const terminal = createTerminal({ answers: stdout, progress: stderr });
  await using runtime = await openRuntime(context, { plugins: [terminal.plugin] });
  const envelope = { ...sessionOf(options), senderId: options.senderId, model: context.options.model };
  const chat = new Chat({ runtime, printer: terminal.printer, progress: stderr, envelope, signal: stop.signal });
  const onInterrupt = () => chat.interrupt();
  const isInteractive = stdin.isTTY === true && stdout.isTerminal;
  using input = await openLineInput({ input: stdin, echo: isInteractive ? process.stdout : undefined, onInterrupt });
  stop.onInterrupt = onInterrupt;
  if (isInteractive) greet(runtime, sessionIdOf({ ...envelope, content: "" }), context);
  const isFine = await chat.talk(input, words.length === 0 ? undefined : words.join(" "));
  if (stop.exitCode !== undefined) return stop.exitCode;
  return isFine || isInteractive ? 0 : 1;
}

function greet({ settings }: Runtime, sessionId: string, { stderr }: CommandContext): void {
  const facts = `bub ${version}, ${settings.model}, session ${sessionId}`;
  const help = `${settings.commandPrefix}help lists commands; Ctrl-C cancels, Ctrl-D leaves.`;
  stderr.write(`${styled(stderr, "dim", `${facts}\n${help}`)}\n`);
}
