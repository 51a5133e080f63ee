// `!command`: a message that is for the shell.

/** True for `!` and something behind it; with a backslash before it, it is a message like any other. */
export function isShellLine(text: string): boolean {
  return /^!\s*\S/.test(text);
}

/** What is said by a message that only looks like a shell line: `\!important`. */
export function withoutEscape(text: string): string {
  return text.startsWith("\\!") ? text.slice(1) : text;
}

/** The command of a shell line. */
export function commandOfShellLine(text: string): string {
  return text.slice(1).trim();
}
