// Finds the real Python behind a name: version managers put a slow script in its place.
import { execFile } from "node:child_process";
import { BubError, codeOf, messageOf } from "../../base/errors.ts";
import { bootProgram } from "./boot.ts";

/** How the program that runs code is started. */
export interface PythonCommand {
  /** Absolute path of the interpreter. */
  readonly program: string;
  readonly args: readonly string[];
  /** For example `3.11`. */
  readonly version: string;
}

const question = "import sys; print(sys.executable); print('%d.%d' % sys.version_info[:2])";
const oldestMinor = 8;
/** A name that needs longer to start Python does not work (milliseconds). */
const patienceMs = 20_000;

/**
 * @param name on PATH, or a path
 * @throws BubError `config` naming BUB_PYTHON, when there is no such program or it is no Python 3.8 or later
 */
export async function findPython(name: string, environment: Record<string, string>): Promise<PythonCommand> {
  const answer = await ask(name, environment);
  const [path = "", version = ""] = answer.split("\n").map((line) => line.trim());
  const [major = 0, minor = 0] = version.split(".").map(Number);
  // Isolated from variables that change how Python starts, and unbuffered.
  if (major === 3 && minor >= oldestMinor && path !== "")
    return { program: path, args: ["-I", "-u", "-c", bootProgram], version };
  const found = version === "" ? "something else" : `Python ${version}`;
  throw unusable(name, `it is ${found}, and Python 3.${oldestMinor} or later is needed`);
}

function ask(name: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(name, ["-I", "-c", question], { env, timeout: patienceMs, killSignal: "SIGKILL" }, (error, stdout) => {
      if (error === null) return resolve(stdout);
      const why = codeOf(error) === "ENOENT" ? "there is no such program" : firstLine(messageOf(error));
      reject(unusable(name, why, error));
    });
  });
}

function unusable(name: string, why: string, cause?: unknown): BubError {
  const message = `Python cannot be used as '${name}': ${why}. Set BUB_PYTHON to a Python 3.`;
  return new BubError("config", message, { cause });
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? text;
}
