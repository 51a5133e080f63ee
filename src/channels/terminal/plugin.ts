// The channel of `bub chat`: a person types, answers stream back.
import { definePlugin, type Plugin } from "../../kernel/plugin.ts";
import type { ChatCommand } from "./chat-command.ts";
import { type LineViewOptions, openLineView } from "./line-view.ts";
import type { ChatView } from "./view.ts";

export { Chat, type ChatOptions, type TypedMessage } from "./chat.ts";
export { type ChatCommand, defineChatCommand } from "./chat-command.ts";
export type { ChatView } from "./view.ts";

export interface ViewOptions extends LineViewOptions {
  /** Whether the terminal can be drawn on; otherwise a line is read and what comes is written below it. */
  isScreen: boolean;
}

/** Dispose it. */
export async function createView({ isScreen, ...options }: ViewOptions): Promise<ChatView> {
  if (!isScreen) return openLineView(options);
  const { createScreenView } = await import("./screen-view.ts");
  return createScreenView(options);
}

/** Delivers answers to a view. @param commands those of the conversation's own surface */
export function terminalPlugin(view: ChatView, commands: readonly ChatCommand[]): Plugin {
  return definePlugin({
    name: "terminal",
    provideTools: () => commands.map(({ tool }) => tool),
    // Half an answer is none; who watched has seen it.
    renderOutbound: ({ status }) => (status === "cancelled" ? [] : undefined),
    dispatchOutbound(outbound) {
      if (outbound.kind === "error") view.error(outbound.text);
      else view.answer(outbound.text);
      return true;
    },
  });
}
