import { expect, test } from "vitest";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import { answering, messagesOf, pairingProblem } from "../support/chat-server.ts";
import { cliFile, createCliWorld } from "../support/run-cli.ts";

/** Runs `command` once for each message, then answers with the message's own words. */
const shelling = (command: (text: string) => string) =>
  answering((messages) => {
    const last = messages.at(-1);
    const text =
      String(messages.findLast(({ role }) => role === "user")?.content)
        .split("\n")
        .at(-1) ?? "";
    if (last?.role === "tool") return { text: `${text} done` };
    return { calls: [{ name: "bash", arguments: { command: command(text) } }] };
  });

const settings = (url: string) => ({ BUB_MODEL: "local:test", BUB_LOCAL_API_BASE: url });

test("R1.6 eight processes on one session: turns do not interleave, no torn line, no repeated id", async () => {
  await using wire = await startFaultServer([shelling((text) => `echo ${text}`)]);
  using world = createCliWorld();
  const names = Array.from({ length: 8 }, (_, index) => `m${index}`);
  const ended = await Promise.all(names.map((name) => world.run(["run", name], { env: settings(wire.url) })));
  expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(names.map((name) => [0, `${name} done\n`]));
  const entries = world.entries();
  expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
  const turns = entries.flatMap(({ meta }) => (typeof meta.turn_id === "string" ? [meta.turn_id] : []));
  const changes = turns.filter((id, index) => id !== turns[index - 1]);
  expect(changes).toHaveLength(8);
  for (const request of wire.requests) expect(pairingProblem(messagesOf(request))).toBeUndefined();
});

test("R1.6 a dead owner's lease is taken over within two seconds, and the new turn goes on from the tape", async () => {
  await using wire = await startFaultServer([shelling((text) => (text === "hang" ? "sleep 600" : "echo ok"))]);
  using world = createCliWorld();
  const env = settings(wire.url);
  const first = world.start(["run", "hang"], { env });
  await wire.request(1);
  const second = world.start(["run", "next"], { env });
  await second.saw("waiting for process");
  first.kill("SIGKILL");
  await first.ended;
  const died = performance.now();
  await wire.request(2);
  expect(performance.now() - died).toBeLessThan(2000);
  expect(await second.ended).toMatchObject({ code: 0, stdout: "next done\n" });
  const texts = messagesOf(wire.requests.at(-1) as never).map(({ content }) => content);
  expect(texts).toContain("[tool] interrupted: it may or may not have taken effect");
});

test("R1.6 a run started below the session's own run does not wait for itself", async () => {
  using world = createCliWorld();
  await using wire = await startFaultServer([
    shelling((text) => (text === "outer" ? `${process.execPath} ${JSON.stringify(cliFile)} run inner` : "echo ok")),
  ]);
  const { stdout } = await world.run(["run", "outer"], { env: settings(wire.url) });
  expect(stdout).toBe("outer done\n");
  const result = messagesOf(wire.requests.at(-1) as never).at(-1)?.content;
  expect(result).toContain(
    "session 'cli:local' is held by the run that started this process; use --new or --session-id",
  );
  expect(wire.requests).toHaveLength(2);
});
