// A chat completions server in a process of its own: it answers by a plan, never reads what it is asked, and notes when.
//
// Started by world.mjs with an IPC channel. A plan is `{ calls, command, arguments }`: of each `calls + 1` requests the
// last is answered with text, the others with one call of bash. `#` in the command becomes the request's number. With
// `stream: { text, pieces, everyMs }` each request is answered with so many pieces of that text, one after the other.
import { createServer } from "node:http";
import { now } from "./measure.mjs";

const eventStream = { "content-type": "text/event-stream" };
let plan = { calls: 0 };
let seen = [];
/** The last request's bytes, where requests are compared. */
let before;

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const arrivedAt = now();
    const number = seen.length + 1;
    response.writeHead(200, eventStream);
    if (plan.stream) stream(response, plan.stream);
    else response.end(answerTo(number));
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    seen.push({ arrivedAt, answeredAt: now(), bytes, ...(plan.compares && { share: shareOf(Buffer.concat(parts)) }) });
  });
});

function answerTo(number) {
  const isLast = number % (plan.calls + 1) === 0;
  const call = {
    index: 0,
    id: `call_${number}`,
    type: "function",
    function: {
      name: "bash",
      arguments: JSON.stringify({ command: plan.command?.replaceAll("#", number), ...plan.arguments }),
    },
  };
  const delta = { role: "assistant", content: isLast ? "ok" : null, ...(!isLast && { tool_calls: [call] }) };
  const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 };
  return [
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: isLast ? "stop" : "tool_calls" }]),
    chunk([], usage),
    "data: [DONE]\n\n",
  ].join("");
}

function stream(response, { text, pieces, everyMs }) {
  let left = pieces;
  const timer = setInterval(() => {
    if (left-- > 0) return void response.write(chunk([{ index: 0, delta: { content: text }, finish_reason: null }]));
    clearInterval(timer);
    response.end(`${chunk([{ index: 0, delta: {}, finish_reason: "stop" }])}data: [DONE]\n\n`);
  }, everyMs);
  response.on("close", () => clearInterval(timer));
}

function chunk(choices, usage) {
  return `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices, ...(usage && { usage }) })}\n\n`;
}

/** How much of the request before, without the brackets that close it, this one begins with. */
function shareOf(body) {
  const whole = before?.subarray(0, -2);
  before = body;
  if (whole === undefined) return undefined;
  let same = 0;
  while (same < whole.length && whole[same] === body[same]) same += 1;
  return same / whole.length;
}

process.on("message", ({ ask, plan: next }) => {
  if (ask === "plan") {
    plan = next;
    seen = [];
    before = undefined;
    process.send({ ready: true });
  } else process.send({ seen });
});
process.on("disconnect", () => process.exit());
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
