// Starts many subagents of one instant step in one turn; prints the milliseconds of each.
import { distFile } from "./world.mjs";

const [workspace, count] = process.argv.slice(2);
const { createAgent } = await import(distFile("index.js"));

/** Starts them all in one step, and waits for them in the next. */
const model = {
  provider: "instant",
  modelId: "model",
  async *stream({ messages }) {
    const last = messages.at(-1);
    if (last.role === "user" && last.content === "one") yield { type: "text-delta", delta: "done" };
    else if (last.role === "user" && last.content.endsWith("\ngo")) {
      for (let index = 0; index < Number(count); index += 1) {
        yield { type: "tool-call", id: `call_${index}`, name: "subagent", arguments: '{"prompt":"one"}' };
      }
    } else if (last.role === "tool" && last.name === "subagent") {
      yield { type: "tool-call", id: "wait", name: "subagent_wait", arguments: '{"timeout_seconds":600}' };
    } else yield { type: "text-delta", delta: "seen" };
    yield { type: "finish", reason: "stop" };
  },
};

const agent = await createAgent({ model, workspace, settings: { subagentMaxConcurrency: 4 } });
let ended = 0;
agent.events.on("subagent-finished", ({ task }) => {
  if (task.status !== "completed") throw new Error(task.errors.join(" "));
  ended += 1;
});
// What is loaded for the first one is not a part of each.
for await (const _event of agent.run({ sessionId: "warm", prompt: "go" }));
ended = 0;
const started = performance.now();
for await (const event of agent.run({ sessionId: "many", prompt: "go" })) {
  if (event.type === "error") throw new Error(event.message);
}
const elapsed = performance.now() - started;
if (ended !== Number(count)) throw new Error(`${ended} of ${count} have ended`);
await agent[Symbol.asyncDispose]();
process.stdout.write(String(elapsed / ended));
