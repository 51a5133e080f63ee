// What is left of a text that is too long to be shown: its beginning, or its beginning and its end.

/** Characters of either. */
const previewCharacters = 300;

/** The first and the last characters, none of them split, and how many lie between; the whole text where none do. */
export function previewOf(text: string): string {
  if (!isLongerThan(2 * previewCharacters, text)) return text;
  // Twice as many units hold as many characters at least.
  const head = Array.from(text.slice(0, 2 * previewCharacters)).slice(0, previewCharacters);
  const tail = Array.from(text.slice(-2 * previewCharacters)).slice(-previewCharacters);
  const [first, last] = [head.join(""), tail.join("")];
  const omitted = charactersOf(text.slice(first.length, text.length - last.length));
  return `${first}\n...[${grouped(omitted)} chars omitted]...\n${last}`;
}

/** The beginning of a text that has more than so many UTF-16 units; half a character at its end is left out, too. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

/** Whether a text has more characters (code points) than that. */
export function isLongerThan(most: number, text: string): boolean {
  // No character has more than two units.
  return text.length > most && (text.length > 2 * most || charactersOf(text) > most);
}

function charactersOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.codePointAt(at) as number) <= 0xffff) continue;
    count--;
    at++;
  }
  return count;
}

/** `43893` as `43,893`, wherever this runs. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
