// What is left of a text that is too long to be shown: its beginning and its end.

/** Characters of either. */
const previewCharacters = 300;

/** The first and the last characters, none of them split, and how many lie between. */
export function previewOf(text: string): string {
  // Twice as many units hold as many characters at least.
  const head = Array.from(text.slice(0, 2 * previewCharacters)).slice(0, previewCharacters);
  const tail = Array.from(text.slice(-2 * previewCharacters)).slice(-previewCharacters);
  const [first, last] = [head.join(""), tail.join("")];
  return `${first}\n...[${grouped(text.length - first.length - last.length)} chars omitted]...\n${last}`;
}

/** `43893` as `43,893`, wherever this runs. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
