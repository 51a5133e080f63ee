// How rows take numbers: what is compared runs in turns (A B A B), so that a slow moment of the machine meets both.

/** Runs each maker `rounds` times, in turns, after one round that does not count; answers what each gave, by name. */
export async function inTurns(rounds, makers) {
  const found = Object.fromEntries(Object.keys(makers).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, make] of Object.entries(makers)) {
      const value = await make(round);
      if (round >= 0) found[name].push(value);
    }
  }
  return found;
}

export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds on the clock that all processes of this machine share. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A row's work is often shared with its neighbours: done when the first of them asks, for one set of options. */
export function shared(work) {
  let done;
  return (options) => {
    done ??= work(options);
    return done;
  };
}

export function ratio(value, floor, unit = "ms", names = ["", "floor "]) {
  const shown = (number) => (number < 10 ? number.toFixed(2) : number.toFixed(0));
  return {
    value: value / floor,
    text: `${(value / floor).toFixed(2)} × (${names[0]}${shown(value)} ${unit}, ${names[1]}${shown(floor)} ${unit})`,
  };
}

export const atMost = (limit, unit) => ({ text: `≤ ${limit} ${unit}`, isMet: (value) => value <= limit });
export const atLeast = (limit, unit) => ({ text: `≥ ${limit} ${unit}`, isMet: (value) => value >= limit });
