import { createAgent } from "bub";

await using agent = await createAgent({ model: "scripted:hello.yml", workspace: process.cwd() });

for await (const event of agent.run({ sessionId: "demo", prompt: "hi" })) {
  if (event.type === "text-delta") process.stdout.write(event.delta);
}
