// A chat completions server for whole conversations: what it answers follows from the conversation that it is sent.
import { type Behaviour, events, type SeenRequest } from "../../src/testing/fault-server.ts";

export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

export function messagesOf({ body }: SeenRequest): WireMessage[] {
  return (JSON.parse(body.toString("utf8")) as { messages: WireMessage[] }).messages;
}

export interface WireAnswer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[];
}

/** Streams what `answer` makes of each conversation. */
export function answering(answer: (messages: readonly WireMessage[]) => WireAnswer): Behaviour {
  return (response, request) => {
    const messages = messagesOf(request);
    const { text = "", calls = [] } = answer(messages);
    const toolCalls = calls.map(({ name, arguments: args }, index) => ({
      index,
      id: `call_${messages.length}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const delta = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: toolCalls }) };
    const finish = calls.length > 0 ? "tool_calls" : "stop";
    const stream = `${chunk({ delta })}${chunk({ delta: {}, finish_reason: finish })}data: [DONE]\n\n`;
    return events(stream)(response, request);
  };
}

/** The first thing wrong with the order of calls and results; undefined when each call has one result, right behind it. */
export function pairingProblem(messages: readonly WireMessage[]): string | undefined {
  let waiting: string[] = [];
  for (const [index, { role, tool_calls: calls, tool_call_id: id }] of messages.entries()) {
    if (role === "tool") {
      if (waiting.shift() !== id) return `message ${index} is the result of ${id}, which no call waits for`;
      continue;
    }
    if (waiting.length > 0) return `message ${index} stands before the results of ${waiting.join(", ")}`;
    waiting = (calls ?? []).map((call) => call.id);
  }
  return waiting.length > 0 ? `no results for ${waiting.join(", ")}` : undefined;
}

function chunk(choice: object): string {
  const body = { id: "x", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] };
  return `data: ${JSON.stringify(body)}\n\n`;
}
