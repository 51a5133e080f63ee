import { expect, test } from "vitest";
import { renderFound } from "./search-options.ts";

test("what a search came to says what was left out and when there may be more", () => {
  expect(renderFound(0, { limit: 20 })).toBe("bub: 0 matches.\n");
  expect(renderFound(1, { limit: 20, filtered: 1 })).toBe("bub: 1 match (1 result of earlier searches is left out).\n");
  expect(renderFound(20, { limit: 20, filtered: 2 })).toBe(
    "bub: 20 matches (2 results of earlier searches are left out); there may be more, --limit 0 shows all.\n",
  );
});
