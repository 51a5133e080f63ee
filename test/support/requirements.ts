// What a test needs from the machine, or from the person who starts it.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** True in `npm run test:long`: two hundred kills, gigabytes, soak and long fuzz in place of their short forms. */
export const long = process.env.BUB_TEST_LONG === "1";

/**
 * For `test.skipIf(missing("tmux"))("… (needs tmux)", …)`. In CI nothing is missing: the test runs and fails.
 */
export function missing(tool: string): boolean {
  return process.env.CI !== "true" && !isOnPath(tool);
}

function isOnPath(tool: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => isExecutable(join(folder, tool)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
