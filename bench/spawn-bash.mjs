// Spawns `bash -c true` as often as told, one after the other; prints the milliseconds of each.
import { spawn } from "node:child_process";
import { now } from "./measure.mjs";

const times = [];
for (let count = Number(process.argv[2]); count > 0; count -= 1) {
  const startedAt = now();
  await new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", "true"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject).on("close", resolve);
  });
  times.push(now() - startedAt);
}
process.stdout.write(JSON.stringify(times));
