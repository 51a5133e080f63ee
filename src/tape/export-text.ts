// Text of a conversation for readers of files: what would control a terminal or hide words is shown instead.

/** Line ends are `\n`; control characters, and those that change the direction of what follows, become a sign. */
export function visibleText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(hidden, "\u2426");
}

/** Control characters but tab and line end; marks that turn the direction of text around. */
const hidden = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
