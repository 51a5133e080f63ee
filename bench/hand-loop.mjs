// The loop written by hand, as little as it can be: node:http, spawn, and the conversation as an array.
import { spawn } from "node:child_process";
import { request } from "node:http";

const url = `${process.argv[2]}/chat/completions`;
const messages = [{ role: "user", content: "hi" }];

for (;;) {
  const message = await ask();
  messages.push(message);
  if (message.tool_calls.length === 0) break;
  for (const { id, function: called } of message.tool_calls) {
    const content = await run(JSON.parse(called.arguments).command);
    messages.push({ role: "tool", tool_call_id: id, content });
  }
}
process.stdout.write(`${messages.at(-1).content}\n`);

function ask() {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers: { "content-type": "application/json" } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve(messageOf(text)));
    });
    asked.on("error", reject);
    asked.end(JSON.stringify({ model: "test", stream: true, messages }));
  });
}

function messageOf(text) {
  const message = { role: "assistant", content: "", tool_calls: [] };
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
    const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
    if (delta?.content) message.content += delta.content;
    if (delta?.tool_calls) message.tool_calls.push(...delta.tool_calls);
  }
  return message;
}

function run(command) {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const take = (part) => {
      output += part;
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}
