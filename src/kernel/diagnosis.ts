// What plugins tell `bub doctor` of their part: a section of facts, and findings, some of which can be put right.

/** One thing that is wrong or odd. */
export interface Finding {
  /** What is wrong, on what, and what to do. */
  readonly sentence: string;
  /** A problem keeps something from working until a person does something; with a warning nothing stops working. */
  readonly severity: "problem" | "warning";
  /** Puts it right, where that loses nothing; answers what it did, one sentence. Asked for by `--fix` alone. */
  readonly fix?: () => Promise<string>;
}

/** One line of a section. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** One plugin's section of the report. */
export interface Diagnosis {
  /** Its heading. */
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly findings: readonly Finding[];
}

export interface DiagnosisRequest {
  /** True: nothing may be sent anywhere. */
  readonly offline: boolean;
  readonly signal: AbortSignal;
}

/** A sentence by itself is a problem. */
export function findingsOf(answer: Diagnosis | readonly string[]): readonly Finding[] {
  return "findings" in answer ? answer.findings : answer.map((sentence) => ({ sentence, severity: "problem" }));
}
