import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import { answering, messagesOf, pairingProblem } from "../support/chat-server.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import { long } from "../support/requirements.ts";
import { type CliWorld, createCliWorld, type RunningCli } from "../support/run-cli.ts";

const steps = 10;
const kills = long ? 200 : 20;

/** Calls the counter once a step; what was interrupted is not asked for again. */
const counting = answering((messages) => {
  const done = messages.filter(({ role }) => role === "tool").length;
  if (done >= steps) return { text: "counted" };
  return { calls: [{ name: "bash", arguments: { command: `echo ${done + 1} >> counter` } }] };
});

const counted = ({ workspace }: CliWorld) => {
  const file = join(workspace, "counter");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
};

test(`R3.3 after SIGKILL at ${kills} random instants nothing written is lost, pairs hold, and no finished tool runs again`, async () => {
  await using wire = await startFaultServer([counting]);
  const env = { BUB_MODEL: "local:test", BUB_LOCAL_API_BASE: wire.url };
  const random = randomNumbers(20_261_130);
  let caught = 0;

  for (let round = 0; round < kills; round++) {
    using world = createCliWorld();
    const running = world.start(["run", "count"], { env });
    const killed = killBetween(
      running,
      wire.request(wire.requests.length + 1 + Math.floor(random() * steps)),
      random() * 12,
    );
    const { code } = await running.ended;
    await killed;
    if (code === null) caught++;

    const tape = world.tapeFile();
    const before = existsSync(tape) ? readFileSync(tape) : Buffer.alloc(0);
    const finished = results(before.toString("utf8"));
    const after = await world.run(["run", "go on"], { env });
    expect(after.stderr).toBe("");
    expect(after.stdout).toBe("counted\n");
    expect(readFileSync(tape).subarray(0, before.length).equals(before)).toBe(true);
    expect(world.entries().map(({ id }) => id)).toEqual(world.entries().map((_, index) => index + 1));
    const request = wire.requests.at(-1);
    expect(request && pairingProblem(messagesOf(request))).toBeUndefined();
    const numbers = counted(world);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(numbers).toEqual(expect.arrayContaining(finished));
    expect(statSync(tape).mode & 0o777).toBe(0o600);
  }
  // Kills that always came too late would prove nothing.
  expect(caught).toBeGreaterThan(kills / 2);
}, 600_000);

/** Somewhere between a request and what follows it: the instant itself is what is tried out. */
async function killBetween(running: RunningCli, request: Promise<unknown>, afterMs: number): Promise<void> {
  await Promise.race([request, running.ended]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  running.kill("SIGKILL");
}

/** The numbers whose calls have a result on the tape that is not an interruption. */
function results(text: string): number[] {
  const numbers = new Map<string, number>();
  const done: number[] = [];
  for (const line of text.split("\n")) {
    let entry: {
      kind?: string;
      payload?: { calls?: { id: string; arguments: { command: string } }[] };
      meta?: { calls?: { id: string; status: string }[] };
    };
    try {
      entry = JSON.parse(line);
    } catch {
      continue;
    }
    for (const { id, arguments: args } of entry.payload?.calls ?? [])
      numbers.set(id, Number(/\d+/.exec(args.command)?.[0]));
    for (const { id, status } of entry.meta?.calls ?? []) if (status === "ok") done.push(numbers.get(id) ?? -1);
  }
  return done;
}
