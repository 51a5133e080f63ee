// The `bub` command: answers the version by itself and loads the rest only when something else is asked for.
import { writeSync } from "node:fs";
import { version } from "../base/version.ts";

const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  writeSync(1, `${version}\n`);
} else {
  // Compiled code is kept between starts where Node can do that (22.8 and newer).
  const { enableCompileCache } = process.getBuiltinModule("node:module") as { enableCompileCache?: () => void };
  enableCompileCache?.();
  const { runProgram } = await import("./program.ts");
  await runProgram(words);
}
