import { expect, test } from "vitest";
import { createLogger, SecretMask } from "./log.ts";

test("R1.5 of two secrets of which one begins with the other nothing is left over", () => {
  const mask = new SecretMask();
  for (const secret of ["abcdef", "abcdefghi", "short"]) mask.add(secret);
  expect(mask.mask("abcdefghi abcdef short")).toBe("*** *** short");
});

test("R1.5 a secret that JSON writes in another way reaches no log either", () => {
  const mask = new SecretMask();
  mask.add('pass"word\\1');
  const lines: string[] = [];
  const log = createLogger({ write: (line) => void lines.push(line), mask: mask.mask });
  log.error('it said pass"word\\1', { error: new Error('no pass"word\\1'), deep: [{ text: 'pass"word\\1' }] });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("word");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ message: "it said ***", deep: [{ text: "***" }] });
});
