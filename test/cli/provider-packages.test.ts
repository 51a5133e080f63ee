// A provider of config.yml that is a package of the plugin project, asked by the real `bub`.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanCut, events, startFaultServer } from "../../src/testing/fault-server.ts";
import { callParts, fakePackage, finishPart, partLines, textParts } from "../support/package-model.ts";
import { writeProject } from "../support/package-project.ts";
import { type CliWorld, createCliWorld } from "../support/run-cli.ts";

function configure(world: CliWorld, address: string): void {
  world.file(
    "home/config.yml",
    `providers: { fake: { package: fake-ai-provider, api_base: "${address}" } }\nmodel: fake:m\n`,
  );
}

test("R4.1 an installed provider package answers a run: tools, text, and a cut that is tried again", async () => {
  using world = createCliWorld();
  const project = writeProject(world.home, { "fake-ai-provider": undefined });
  cpSync(fakePackage, join(project, "node_modules", "fake-ai-provider"), { recursive: true });
  await using server = await startFaultServer([
    events(partLines(...callParts("c1", "bash", '{"command":"echo seen"}'), finishPart("tool-calls"))),
    cleanCut(""),
    events(partLines(...textParts("1", "I saw", " it."), finishPart("stop"))),
  ]);
  configure(world, server.url);
  const env = { FAKE_API_KEY: "sk-fake-0123456789", BUB_FAKE_API_KEY: "sk-own-0123456789" };
  const { code, stdout, stderr } = await world.run(["run", "look"], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "I saw it.\n" });
  expect(stderr).toMatch(/^(bub: The answer of fake broke off before it was complete\. Trying again in [^\n]*\n)?$/);
  const { headers, body } = await server.request(3);
  expect(headers.authorization).toBe("Bearer sk-own-0123456789");
  expect(JSON.parse(body.toString()).prompt.at(-1)).toMatchObject({
    role: "tool",
    content: [{ toolCallId: "c1", toolName: "bash", output: { type: "text", value: "seen" } }],
  });
});

test("R4.1 a package that is not installed is one sentence, and doctor says the same", async () => {
  using world = createCliWorld();
  configure(world, "http://127.0.0.1:1");
  const sentence = "The package fake-ai-provider is not installed. bub install fake-ai-provider does that.";
  expect(await world.run(["run", "hi"])).toEqual({ code: 1, stdout: "", stderr: `bub: ${sentence}\n` });
  const { problems } = JSON.parse((await world.run(["doctor", "--json"])).stdout);
  expect(problems).toContain(sentence);
});
