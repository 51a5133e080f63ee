// The `bub` command: help and the like by itself, all else by the program's compiled code.
import { loadKept } from "./kept-code.ts";
import { failToRun, runProgram } from "./program.ts";
import type { runWork } from "./work.ts";

/** Put in by the build: the file of src/cli/work.ts, beside this one. */
declare const workFile: string;

const { join } = process.getBuiltinModule("node:path");
const words = process.argv.slice(2);

// Not awaited: Node would print a warning of its own when nothing is left to wait for; run-in-process.ts says it for people.
runProgram(words, (request) => {
  const work = loadKept<{ runWork: typeof runWork }>(join(import.meta.dirname, workFile), words[0]);
  return work.runWork(request);
}).catch((error: unknown) => failToRun(error, import.meta.dirname));
