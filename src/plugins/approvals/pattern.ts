// Patterns of rules: `*` for any characters, `?` for one, `\` before either for itself; everything else is literal.

export interface PatternOptions {
  ignoreCase?: boolean;
  /** A character class that `*` and `?` do not cross. */
  except?: string;
}

/** True when the pattern covers the whole text. */
export function matchesPattern(
  pattern: string,
  text: string,
  { ignoreCase = false, except }: PatternOptions = {},
): boolean {
  const any = except === undefined ? "[\\s\\S]" : `[^${except}]`;
  const source = pattern.replace(/\\([*?\\])|[*?]|[^*?\\]+|\\/g, (part, escaped?: string) => {
    if (escaped !== undefined) return literal(escaped);
    if (part === "*") return `${any}*`;
    return part === "?" ? any : literal(part);
  });
  return new RegExp(`^${source}$`, ignoreCase ? "iu" : "u").test(text);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
