// Reads a command line, and answers by itself what needs no work: help, the version, words that make no sense.
import { codeOf, messageOf } from "../base/errors.ts";
import { neutralise } from "../base/terminal-text.ts";
import { version } from "../base/version.ts";
import { UsageError } from "./command-context.ts";
import { parseCommandLine, type Request, type WorkRequest } from "./command-line.ts";
import { renderHelp } from "./help.ts";

/** Sets the exit code 2 when the words make no sense. @param runWork runs what there is work for */
export async function runProgram(
  line: readonly string[],
  runWork: (request: WorkRequest) => Promise<void>,
): Promise<void> {
  let request: Request;
  try {
    request = parseCommandLine(line);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(2, `bub: ${neutralise(error.message)}\n`);
    process.exitCode = 2;
    return;
  }
  if (request.kind === "version") print(1, `${version}\n`);
  else if (request.kind === "help") print(1, renderHelp(request.of));
  else await runWork(request);
}

/** Ends the process over what no command reports itself. @param folder that the program's own code is in */
export function failToRun(error: unknown, folder: string): never {
  const why = neutralise(messageOf(error)).replace(/[.\s]*$/, ".");
  print(
    2,
    `bub: the program in ${neutralise(folder)} cannot run: ${why} Part of it may be missing: install bub again.\n`,
  );
  process.exit(1);
}

/** These texts are short: the process's stream objects, and even an `import` of node:fs, would take longer. */
function print(descriptor: 1 | 2, text: string): void {
  try {
    process.getBuiltinModule("node:fs").writeSync(descriptor, text);
  } catch (error) {
    // Of a reader that has left nobody is told, as with every command.
    if (codeOf(error) === "EPIPE" || descriptor === 2) return;
    process.exitCode = 1;
    print(2, `bub: stdout cannot be written: ${messageOf(error)}\n`);
  }
}
