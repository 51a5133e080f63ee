// The programs that tools run: a shell and Python, and Node's own version.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Settings } from "../kernel/settings.ts";

export interface ProgramReport {
  name: string;
  /** Its version, on one line; null when it is missing. */
  found: string | null;
  /** What does not work without it. */
  warnings: string[];
}

export async function checkPrograms(settings: Settings, signal: AbortSignal): Promise<ProgramReport[]> {
  const [bash, python] = await Promise.all([versionOf("bash", signal), versionOf(settings.python, signal)]);
  return [
    report("bash", bash, "bash is not on PATH; the bash tool uses sh instead."),
    report(settings.python, python, `${settings.python} does not start; code mode needs Python 3 (BUB_PYTHON).`),
  ];
}

function report(name: string, found: string | null, sentence: string): ProgramReport {
  return { name, found, warnings: found === null ? [sentence] : [] };
}

async function versionOf(program: string, signal: AbortSignal): Promise<string | null> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, ["--version"], { signal, timeout: 10_000 });
    return (stdout || stderr).split("\n")[0] ?? "";
  } catch {
    return null;
  }
}
