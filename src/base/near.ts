// The name that somebody probably meant.

/** The nearest of `names` when it is near enough to suggest, ignoring case. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  return nearestNames(wanted, names, 1)[0];
}

/** Up to `most` near names, nearest first. */
export function nearestNames(wanted: string, names: Iterable<string>, most: number): string[] {
  const word = wanted.toLowerCase();
  const limit = Math.max(2, Math.floor(word.length / 3));
  return [...names]
    .filter(({ length }) => Math.abs(length - word.length) <= limit)
    .map((name) => ({ name, distance: distanceOf(word, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Letters to insert, delete, replace or swap with a neighbour to make one word of the other. */
function distanceOf(left: string, right: string): number {
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let least = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) least = Math.min(least, (before[column - 2] ?? 0) + 1);
      current.push(least);
    }
    before = above;
    above = current;
  }
  return above[right.length] ?? 0;
}
