// The channel of `bub run`: one message comes in, its answer goes to stdout, everything else to stderr.
import type { StreamEvent } from "../../base/events.ts";
import { jsonLine } from "../../base/terminal-text.ts";
import type { TextOutput } from "../../base/text-output.ts";
import { TurnPrinter } from "../../base/turn-printer.ts";
import { definePlugin, type Plugin } from "../../kernel/plugin.ts";

export interface OneShotOptions {
  /** Gets the answer and nothing else; with `json` each event as a line. */
  answers: TextOutput;
  /** Gets tool lines when it is a terminal, errors always. */
  progress: TextOutput;
  json?: boolean;
}

export interface OneShot extends Disposable {
  /** Delivers what the turn sends, whichever channel the message names. */
  readonly plugin: Plugin;
  show(event: StreamEvent): void;
  /** Says that a model has been asked. */
  asking(): void;
}

export function createOneShot({ answers, progress, json = false }: OneShotOptions): OneShot {
  const printer = new TurnPrinter({ answers, progress, showsProgress: progress.isTerminal && !json });
  const plugin = definePlugin({
    name: "one-shot",
    // Half an answer is none; who watched has seen it.
    renderOutbound: ({ status }) => (status === "cancelled" ? [] : undefined),
    dispatchOutbound(outbound) {
      if (outbound.kind === "error") printer.error(outbound.text);
      else if (!json) printer.answer(outbound.text);
      return true;
    },
  });
  return {
    plugin,
    asking: () => printer.waiting(),
    show(event) {
      if (json) answers.write(`${lineOf(event)}\n`);
      if (!json || event.type === "error") printer.show(event);
    },
    [Symbol.dispose]: () => printer[Symbol.dispose](),
  };
}

/** Tools of plugins may give values that JSON has no word for; their text is there all the same. */
function lineOf(event: StreamEvent): string {
  try {
    return jsonLine(event);
  } catch {
    return jsonLine(withoutValue(event));
  }
}

function withoutValue(event: StreamEvent): StreamEvent {
  if (event.type === "tool-result") return { ...event, value: null };
  return event.type === "subagent-output" ? { ...event, event: withoutValue(event.event) } : event;
}
