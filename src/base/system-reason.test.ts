import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reasonOf } from "./system-reason.ts";

test("what the system refused is told in words, without its codes and the path once more", () => {
  const failing = (path: string) => {
    try {
      return String(readFileSync(path));
    } catch (error) {
      return reasonOf(error);
    }
  };
  expect(failing("/nowhere/at/all")).toBe("the path does not exist");
  expect(failing("/dev/null/below")).toBe("a part of the path is not a folder");
  expect(failing("/")).toBe("it is a folder");
  expect(reasonOf(Object.assign(new Error("EODD: odd, open 'x'"), { code: "EODD" }))).toBe("EODD: odd, open 'x'");
});
