// `bub chat`: a conversation in the terminal.
import { version } from "../../base/version.ts";
import {
  Chat,
  type ChatCommand,
  type ChatView,
  createView,
  defineChatCommand,
  type TypedMessage,
  terminalPlugin,
} from "../../channels/terminal/plugin.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { type CommandContext, UsageError } from "../command-context.ts";
import { withMentionedFiles } from "../mentions.ts";
import { openRuntime } from "../open-runtime.ts";
import { type SessionOptions, sessionIdFrom, sessionOf } from "../session-options.ts";

export interface ChatOptions extends SessionOptions {
  /** An earlier session: its id, or true for a list to choose from. */
  resume?: string | true;
}

/** Answers 0 when the person leaves, 1 when a piped message failed, the signal's code when stopped by one. */
export async function runChat(
  words: readonly string[],
  options: ChatOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const stdin = context.openStdin();
  const isInteractive = stdin.isTTY === true && stdout.isTerminal;
  checkOptions(options, isInteractive);
  let chat: Chat | undefined;
  const onInterrupt = () => chat?.interrupt();
  await using view = await createView({
    isScreen: isInteractive && stdout.hasCursor,
    input: stdin,
    echo: isInteractive ? process.stdout : undefined,
    answers: stdout,
    progress: stderr,
    onInterrupt,
  });
  const commands = chatCommands(() => chat, view);
  const plugins = [terminalPlugin(view, commands)];
  await using runtime = await openRuntime({ ...context, stderr: view.notices }, { plugins });
  chat = new Chat({
    runtime,
    view,
    // Files go with what a person types; a pipe's lines are data.
    readMessage: isInteractive ? messageReader(runtime) : undefined,
    envelope: { ...sessionOf(options), senderId: options.senderId, model: context.options.model },
    commands,
    newSessionId: () => sessionIdFrom({ ...options, new: true, sessionId: undefined }),
    signal: stop.signal,
  });
  stop.onInterrupt = onInterrupt;
  const { resume } = options;
  if (isInteractive) greet(runtime, resume === undefined ? chat.sessionId : undefined, view);
  await view.open(runtime);
  if (resume !== undefined && !(await chat.resume(resume === true ? undefined : resume))) return stop.exitCode ?? 0;
  const isFine = await chat.talk(words.length === 0 ? undefined : words.join(" "));
  if (stop.exitCode !== undefined) return stop.exitCode;
  return isFine || isInteractive ? 0 : 1;
}

function checkOptions({ resume, sessionId, new: isNew }: ChatOptions, isInteractive: boolean): void {
  if (resume === undefined) return;
  if (sessionId !== undefined || isNew === true)
    throw new UsageError(`--resume names a session already: leave out --${isNew === true ? "new" : "session-id"}.`);
  if (resume === true && !isInteractive)
    throw new UsageError("there is nobody to choose a session here: give its name, bub chat --resume <id>.");
}

function chatCommands(chat: () => Chat | undefined, view: ChatView): ChatCommand[] {
  return [
    defineChatCommand({
      name: "new",
      description: "Go on in a new session; this one stays as it is.",
      act: () => chat()?.startNew() ?? "",
    }),
    defineChatCommand({
      name: "resume",
      description: "Go on in an earlier session, by its name or chosen from a list.",
      parameters: { session: "its name" },
      async act({ session }) {
        await chat()?.resume(typeof session === "string" ? session : undefined);
        return "";
      },
    }),
    defineChatCommand({
      name: "thinking",
      description: "Show the model's reasoning, the last one and all from now on, or fold it again.",
      act: () => view.toggleReasoning(),
    }),
  ];
}

function messageReader({ workspace = "." }: Runtime): (text: string) => Promise<TypedMessage> {
  return (text) => withMentionedFiles(text, workspace);
}

function greet({ settings }: Runtime, sessionId: string | undefined, view: ChatView): void {
  view.note(`bub ${version}, ${settings.model}${sessionId === undefined ? "" : `, session ${sessionId}`}`);
  view.note(`${settings.commandPrefix}help lists commands; Ctrl-C cancels, Ctrl-D leaves.`);
}
