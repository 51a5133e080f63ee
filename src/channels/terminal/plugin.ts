// The channel of `bub chat`: a person types, answers stream back.
import type { TextOutput } from "../../base/text-output.ts";
import { TurnPrinter } from "../../base/turn-printer.ts";
import { definePlugin, type Plugin } from "../../kernel/plugin.ts";

export { Chat, type ChatOptions } from "./chat.ts";
export { openLineInput } from "./line-input.ts";

export interface TerminalOptions {
  answers: TextOutput;
  /** Gets tool lines and notices when it is a terminal, errors always. */
  progress: TextOutput;
}

export interface Terminal {
  /** Delivers answers to this terminal. */
  readonly plugin: Plugin;
  readonly printer: TurnPrinter;
}

export function createTerminal({ answers, progress }: TerminalOptions): Terminal {
  // A line that is drawn over would fight with what is being typed.
  const printer = new TurnPrinter({ answers, progress, showsStatus: false });
  const plugin = definePlugin({
    name: "terminal",
    // Half an answer is none; who watched has seen it.
    renderOutbound: ({ status }) => (status === "cancelled" ? [] : undefined),
    dispatchOutbound(outbound) {
      if (outbound.kind === "error") printer.error(outbound.text);
      else printer.answer(outbound.text);
      return true;
    },
  });
  return { plugin, printer };
}
