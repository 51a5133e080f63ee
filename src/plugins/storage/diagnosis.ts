// The section of `bub doctor` on what Bub keeps: how much there is, and whether its files are in order.
import { access, constants } from "node:fs/promises";
import { counted } from "../../base/amounts.ts";
import { wholeSentencesOf } from "../../base/errors.ts";
import type { Diagnosis, Fact, Finding } from "../../kernel/diagnosis.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { checkHome } from "../../tape/home-check.ts";
import { systemWorld } from "../../tape/lease-record.ts";

/** Changes nothing: findings hold what puts them right. @throws the signal's reason */
export async function diagnoseStorage(runtime: Runtime, signal: AbortSignal): Promise<Diagnosis> {
  const { settings, storage, workspace, clock } = runtime;
  const { home } = settings;
  const report = await checkHome({ home, storage, workspace, clock, world: systemWorld(), signal });
  const findings: Finding[] = report.findings.map(({ sentence, isProblem, fix }) => ({
    sentence,
    severity: isProblem ? "problem" : "warning",
    fix,
  }));
  if (!report.exists)
    return {
      title: "What is kept",
      facts: [{ name: "home", value: `${home}, made with the first message` }],
      findings,
    };
  return {
    title: "What is kept",
    facts: [{ name: "home", value: `${home}, ${counted(report.files, "file")}` }, ...(await shelfFacts(runtime))],
    findings: [...(await writable(home)), ...findings],
  };
}

async function shelfFacts({ storage }: Runtime): Promise<Fact[]> {
  const { shelf } = storage;
  if (shelf === undefined) return [];
  try {
    const [tapes, archives] = await Promise.all([shelf.list(), shelf.archives()]);
    const bytes = tapes.reduce((sum, tape) => sum + tape.bytes, 0);
    return [
      { name: "tapes", value: `${tapes.length} (${bytes} bytes)` },
      { name: "archives", value: String(archives.length) },
    ];
  } catch {
    // Told as a finding.
    return [];
  }
}

async function writable(home: string): Promise<Finding[]> {
  try {
    await access(home, constants.W_OK);
    return [];
  } catch (error) {
    return [
      {
        sentence: `${home} cannot be written, so nothing can be kept: ${wholeSentencesOf(error)}`,
        severity: "problem",
      },
    ];
  }
}
