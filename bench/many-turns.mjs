// Runs many turns of one session in this process; prints by how many MB it grew with each.
import { distFile } from "./world.mjs";

const [workspace, turns] = process.argv.slice(2);
const { createAgent } = await import(distFile("index.js"));
const agent = await createAgent({ workspace });
const sizes = [];
for (let turn = 1; turn <= Number(turns); turn += 1) {
  for await (const event of agent.run({ sessionId: "many", prompt: "go" })) {
    if (event.type === "error") throw new Error(event.message);
  }
  if (turn % 10 === 0) sizes.push({ turn, megabytes: residentBytes() / 1024 ** 2 });
}
// What warming up takes is not growth.
await agent[Symbol.asyncDispose]();
process.stdout.write(String(slopeOf(sizes.slice(sizes.length / 2))));

function residentBytes() {
  globalThis.gc();
  return process.memoryUsage.rss();
}

/** The line that fits best. */
function slopeOf(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const turn = mean(points.map((point) => point.turn));
  const megabytes = mean(points.map((point) => point.megabytes));
  const rise = mean(points.map((point) => (point.turn - turn) * (point.megabytes - megabytes)));
  return rise / mean(points.map((point) => (point.turn - turn) ** 2));
}
