import { spawnSync } from "node:child_process";

/** Brings `dist/` up to date once, before the first test that starts a process of it. */
export default function setup(): void {
  const built = spawnSync(process.execPath, ["scripts/build.mjs"], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the build failed\n${built.stdout}${built.stderr}`);
}
