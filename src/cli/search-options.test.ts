import { expect, test } from "vitest";
import { UsageError } from "./command-context.ts";
import { renderFound, searchFrom } from "./search-options.ts";

test("what a search came to says what was left out and when there may be more", () => {
  expect(renderFound(0, { limit: 20 })).toBe("bub: 0 matches.\n");
  expect(renderFound(1, { limit: 20, filtered: 1 })).toBe("bub: 1 match (1 result of earlier searches is left out).\n");
  expect(renderFound(20, { limit: 20, filtered: 2 })).toBe(
    "bub: 20 matches (2 results of earlier searches are left out); there may be more, --limit 0 shows all.\n",
  );
});

test("a kind that there is none of names the near one, or all; no kind and no text are refused", () => {
  const refusal = (words: readonly string[], kinds: string) => {
    try {
      return searchFrom(words, { kinds, limit: 20 });
    } catch (error) {
      return error;
    }
  };
  const all = "message, system, anchor, tool_call, tool_result, error, event";
  expect(refusal(["a"], "mesage")).toEqual(new UsageError("unknown kind 'mesage' (Did you mean message?)"));
  expect(refusal(["a"], "zzzzzz")).toEqual(new UsageError(`unknown kind 'zzzzzz'; there are ${all}.`));
  expect(refusal(["a"], " ,")).toEqual(new UsageError(`--kinds names no kind; there are ${all}.`));
  expect(refusal([" "], "message")).toEqual(new UsageError("there is no text to look for."));
  expect(refusal(["a", "b"], "message, event")).toMatchObject({ query: "a b", kinds: ["message", "event"] });
});
