// The section of `bub doctor` on the programs that tools run: a shell, Python, git.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { sentencesOf } from "../../base/errors.ts";
import { findPython } from "../../environment/python/interpreter.ts";
import type { Diagnosis, Fact, Finding } from "../../kernel/diagnosis.ts";

export interface ProgramsRequest {
  /** `BUB_PYTHON`. */
  readonly python: string;
  /** What shells and Python see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Milliseconds; a program that needs longer to say its version does not work. */
const patienceMs = 10_000;

/** A program that is missing, or does not say its version in time, is a warning. @throws the signal's reason */
export async function diagnosePrograms(request: ProgramsRequest): Promise<Diagnosis> {
  const reports = await Promise.all([
    reportOf("bash", "bash is not on PATH: the tool bash uses sh instead.", request),
    pythonReport(request),
    reportOf("git", "git is not on PATH: agents look at what they changed with it.", request),
  ]);
  return {
    title: "Programs",
    facts: reports.map(({ fact }) => fact),
    findings: reports.flatMap(({ finding }) => (finding === undefined ? [] : [finding])),
  };
}

interface Report {
  readonly fact: Fact;
  readonly finding?: Finding;
}

async function reportOf(program: string, sentence: string, { environment, signal }: ProgramsRequest): Promise<Report> {
  try {
    const options = { env: environment, signal, timeout: patienceMs };
    const { stdout, stderr } = await promisify(execFile)(program, ["--version"], options);
    return { fact: { name: program, value: (stdout || stderr).split("\n")[0] ?? "" } };
  } catch {
    signal.throwIfAborted();
    return { fact: { name: program, value: "missing" }, finding: { sentence, severity: "warning" } };
  }
}

/** The interpreter itself, past what a version manager puts in its place. */
async function pythonReport({ python, environment }: ProgramsRequest): Promise<Report> {
  try {
    const { program, version } = await findPython(python, { ...environment });
    return { fact: { name: python, value: `Python ${version}, ${program}` } };
  } catch (error) {
    const sentence = `${sentencesOf(error)} Without it, code mode (run_code) fails.`;
    return { fact: { name: python, value: "missing" }, finding: { sentence, severity: "warning" } };
  }
}
