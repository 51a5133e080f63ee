import { expect, test } from "vitest";
import { BubError, sentencesOf, wholeSentencesOf } from "./errors.ts";

test("what failed and what to do about it are sentences, whatever ends the first one", () => {
  const said = (message: string, hint?: string) => sentencesOf(new BubError("config", message, { hint }));
  expect(said("no disk", "Buy one.")).toBe("no disk. Buy one.");
  expect(said("There is no disk.", "Buy one.")).toBe("There is no disk. Buy one.");
  expect(said("no disk")).toBe("no disk");
});

test("whole sentences end in one full stop, and keep what to do", () => {
  expect(wholeSentencesOf(new Error("no light"))).toBe("no light.");
  expect(wholeSentencesOf(new Error("It is dark."))).toBe("It is dark.");
  expect(wholeSentencesOf(new Error("Who turned it off?"))).toBe("Who turned it off?");
  expect(wholeSentencesOf(new BubError("config", "no light", { hint: "Turn it on." }))).toBe("no light. Turn it on.");
});
