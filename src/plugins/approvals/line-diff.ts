// The difference of two texts, line by line: the fewest removed and added lines (Myers), and how people read it.

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  /** With its line end, if it has one. */
  readonly text: string;
}

/** Texts that differ in more lines than this are shown as one replaced by the other. */
const mostEdits = 1_000;
/** Unchanged lines around a change. */
const context = 3;

/** Same and removed lines together are `before`, same and added ones are `after`, to the byte. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const middle = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)] as const;
  return [
    ...lines("same", old.slice(0, start)),
    ...(fewestEdits(...middle) ?? [...lines("removed", middle[0]), ...lines("added", middle[1])]),
    ...lines("same", old.slice(old.length - end)),
  ];
}

/** Unified hunks; empty when nothing differs. Carriage returns are made visible: a change may be of nothing else. */
export function renderDiff(diff: readonly DiffLine[]): string[] {
  return hunksOf(diff).flatMap(({ from, to }) => {
    const hunk = diff.slice(from, to);
    const before = diff.slice(0, from);
    const place = (other: DiffLine["kind"]) => {
      const count = hunk.filter(({ kind }) => kind !== other).length;
      const above = before.filter(({ kind }) => kind !== other).length;
      return `${count === 0 ? above : above + 1},${count}`;
    };
    return [`@@ -${place("added")} +${place("removed")} @@`, ...hunk.flatMap(renderLine)];
  });
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lines(kind: DiffLine["kind"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** Undefined when there are too many. */
function fewestEdits(old: readonly string[], fresh: readonly string[]): DiffLine[] | undefined {
  const most = Math.min(old.length + fresh.length, mostEdits);
  // For each count of edits, how far down each diagonal one gets: `reach[diagonal]` is a line of `old`.
  const trace: Int32Array[] = [];
  let reach = new Int32Array(2 * most + 3);
  const at = (diagonal: number) => reach[diagonal + most + 1] ?? 0;
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice());
    const next = reach.slice();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
      let x = isDown ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
      next[diagonal + most + 1] = x;
      if (x >= old.length && x - diagonal >= fresh.length) return walkBack(old, fresh, { trace, most });
    }
    reach = next;
  }
  return undefined;
}

/** From the ends of both texts to their beginnings, along the way that was found. */
function walkBack(
  old: readonly string[],
  fresh: readonly string[],
  { trace, most }: { trace: readonly Int32Array[]; most: number },
): DiffLine[] {
  const found: DiffLine[] = [];
  let [x, y] = [old.length, fresh.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits];
    const at = (diagonal: number) => reach?.[diagonal + most + 1] ?? 0;
    const diagonal = x - y;
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const fromX = edits === 0 ? 0 : isDown ? at(diagonal + 1) : at(diagonal - 1);
    const fromY = edits === 0 ? 0 : fromX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY) {
      found.push({ kind: "same", text: old[--x] ?? "" });
      y--;
    }
    if (edits === 0) break;
    if (isDown) found.push({ kind: "added", text: fresh[--y] ?? "" });
    else found.push({ kind: "removed", text: old[--x] ?? "" });
  }
  return found.reverse();
}

interface Range {
  from: number;
  to: number;
}

/** Changes with their surroundings; those that touch are one. */
function hunksOf(diff: readonly DiffLine[]): Range[] {
  const hunks: Range[] = [];
  diff.forEach(({ kind }, index) => {
    if (kind === "same") return;
    const range = { from: Math.max(0, index - context), to: Math.min(diff.length, index + context + 1) };
    const last = hunks.at(-1);
    if (last !== undefined && range.from <= last.to) last.to = range.to;
    else hunks.push(range);
  });
  return hunks;
}

const signs = { same: " ", removed: "-", added: "+" } as const satisfies Record<DiffLine["kind"], string>;

function renderLine({ kind, text }: DiffLine): string[] {
  const shown = signs[kind] + text.replace(/\n$/, "").replaceAll("\r", "␍");
  return text.endsWith("\n") ? [shown] : [shown, "\\ No newline at end of file"];
}
