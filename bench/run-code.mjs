// Runs code of one line by run_code and by the interpreter itself in turns, then code that calls a tool 1,000 times;
// prints the milliseconds of each.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { inTurns } from "./measure.mjs";
import { distFile } from "./world.mjs";

const [workspace, rounds] = process.argv.slice(2);
const { createAgent, defineTool } = await import(distFile("index.js"));

const line = "print(1)";
const manyCalls = "for number in range(1000):\n    await tools.count(number=number)";
const interpreter = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).stdout.trim();
let counted = 0;

/** Calls run_code with what the user says. */
const model = {
  provider: "coder",
  modelId: "model",
  async *stream({ messages }) {
    const { role, content } = messages.at(-1);
    if (role === "user") {
      yield { type: "tool-call", id: "call_1", name: "run_code", arguments: JSON.stringify({ code: codeOf(content) }) };
    } else yield { type: "text-delta", delta: "done" };
    yield { type: "finish", reason: "stop" };
  },
};
const count = defineTool({
  name: "count",
  description: "Counts.",
  input: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
  run: async ({ number }) => {
    counted += 1;
    return number;
  },
});

const agent = await createAgent({ model, workspace, tools: [count] });
for await (const _event of agent.run({ sessionId: "code", prompt: ",code_mode enable=true", commands: true }));
const { code, python } = await inTurns(Number(rounds), { code: () => run("one"), python: runInterpreter });
const { calls } = await inTurns(3, { calls: () => run("many") });
await agent[Symbol.asyncDispose]();
if (counted !== 4000) throw new Error(`the tool was called ${counted} times instead of 4000`);
process.stdout.write(JSON.stringify({ code, python, calls }));

function codeOf(prompt) {
  return prompt.endsWith("many") ? manyCalls : line;
}

/** Milliseconds that the call took, as its event tells. */
async function run(prompt) {
  let startedAt;
  let elapsed;
  for await (const event of agent.run({ sessionId: "code", prompt })) {
    if (event.type === "tool-call") startedAt ??= performance.now();
    if (event.type === "error") throw new Error(event.message);
    if (event.type === "tool-result" && event.name === "run_code") {
      if (event.is_error) throw new Error(event.text);
      elapsed = performance.now() - startedAt;
    }
  }
  return elapsed;
}

async function runInterpreter() {
  const startedAt = performance.now();
  const child = spawn(interpreter, ["-c", line], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "close");
  return performance.now() - startedAt;
}
