// How bench files take time: commands run in turns, so that a slow moment of the machine meets all of them.
import { spawnSync } from "node:child_process";

/** Milliseconds of whole processes, the median for each name. */
export function medianTimes(commands, { rounds = 21 } = {}) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { args, env }] of Object.entries(commands)) {
      const started = process.hrtime.bigint();
      const { status, stderr } = spawnSync(process.execPath, args, {
        env: { ...process.env, ...env },
        encoding: "utf8",
      });
      times[name].push(Number(process.hrtime.bigint() - started) / 1e6);
      if (status !== 0) throw new Error(`${name} ended with ${status}\n${stderr}`);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
