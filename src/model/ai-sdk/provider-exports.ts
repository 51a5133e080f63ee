// Which export of an AI SDK provider package makes its provider.

/** Those that may, the likeliest first: of `@ai-sdk/openai-compatible` it is `createOpenAICompatible`. */
export function providerExports(names: readonly string[], packageName: string): readonly string[] {
  const own = letters(packageName.split("/").at(-1) ?? "");
  const weight = (name: string) => {
    const made = letters(name.slice("create".length));
    return made === own ? 0 : own.includes(made) || made.includes(own) ? 1 : 2;
  };
  return names.filter((name) => /^create[A-Z]/.test(name)).sort((one, other) => weight(one) - weight(other));
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]/g, "");
}
