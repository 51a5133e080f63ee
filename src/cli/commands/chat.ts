// `bub chat`: a conversation in the terminal.
import type { Content } from "../../base/content.ts";
import { version } from "../../base/version.ts";
import { Chat, type ChatView, createView, terminalPlugin } from "../../channels/terminal/plugin.ts";
import { sessionIdOf } from "../../kernel/envelope.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { CommandContext } from "../command-context.ts";
import { withMentionedFiles } from "../mentions.ts";
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
  const isInteractive = stdin.isTTY === true && stdout.isTerminal;
  let chat: Chat | undefined;
  const onInterrupt = () => chat?.interrupt();
  using view = await createView({
    isScreen: isInteractive && stdout.hasCursor,
    input: stdin,
    echo: isInteractive ? process.stdout : undefined,
    answers: stdout,
    progress: stderr,
    onInterrupt,
  });
  await using runtime = await openRuntime({ ...context, stderr: view.notices }, { plugins: [terminalPlugin(view)] });
  const envelope = { ...sessionOf(options), senderId: options.senderId, model: context.options.model };
  // Files go with what a person types; a pipe's lines are data.
  const readMessage = isInteractive ? messageReader(runtime) : undefined;
  chat = new Chat({ runtime, view, readMessage, envelope, signal: stop.signal });
  stop.onInterrupt = onInterrupt;
  if (isInteractive) greet(runtime, sessionIdOf({ ...envelope, content: "" }), view);
  await view.open(runtime);
  const isFine = await chat.talk(words.length === 0 ? undefined : words.join(" "));
  if (stop.exitCode !== undefined) return stop.exitCode;
  return isFine || isInteractive ? 0 : 1;
}

function messageReader({ settings, workspace = "." }: Runtime): (text: string) => Promise<Content> {
  return async (text) => (text.startsWith(settings.commandPrefix) ? text : withMentionedFiles(text, workspace));
}

function greet({ settings }: Runtime, sessionId: string, view: ChatView): void {
  view.note(`bub ${version}, ${settings.model}, session ${sessionId}`);
  view.note(`${settings.commandPrefix}help lists commands; Ctrl-C cancels, Ctrl-D leaves.`);
}
