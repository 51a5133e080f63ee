import fc from "fast-check";
import { expect, test } from "vitest";
import { weightedRatio } from "./fuzzy.ts";
import { FuzzySearch } from "./fuzzy-search.ts";

const finds = (query: string, value: unknown): boolean =>
  FuzzySearch.of(query)?.matches(Buffer.from(JSON.stringify(value))) ?? false;

test("T6.3 a word is found that is nearly the query, in any case and any script", () => {
  expect(finds("databse", "our DATABASE is down")).toBe(true);
  expect(finds("README.m", { path: "docs/README.md" })).toBe(true);
  expect(finds("поиск", "для Поиска")).toBe(true);
  expect(finds("strasse", "Straße")).toBe(false);
  expect(finds("databse", "our boat is down")).toBe(false);
});

test("T6.3 the words of a query are compared with each run of as many words, in one text", () => {
  expect(finds("wrm orhcid", "a warm orchid")).toBe(true);
  expect(finds("orhcid wrm", "a warm orchid")).toBe(true);
  expect(finds("wrm orhcid", ["a warm", "orchid"])).toBe(false);
  expect(finds("wrm orhcid", { warm: "orchid" })).toBe(false);
});

test("T6.3 candidates under 3 characters, or under half or over twice the query's length, are passed over", () => {
  expect(finds("abc", "ab")).toBe(false);
  expect(finds("timeout", "out")).toBe(false);
  expect(finds("timeout", "meout")).toBe(true);
  expect(finds("abcd", "abcdefgh")).toBe(true);
  expect(finds("abcd", "abcdefghi")).toBe(false);
});

test("T6.3 a query under 3 characters, without a word, or of a page is looked for as it is", () => {
  for (const query of ["", "ab", "磁", "?!…", " , ", "word ".repeat(60), "x".repeat(300)]) {
    expect(FuzzySearch.of(query)).toBeUndefined();
  }
});

test("T6.3 in Han, Kana and Hangul every stretch of the query's length is a candidate", () => {
  expect(finds("磁帯検索機能", "この磁気検索機能は便利です")).toBe(true);
  expect(finds("データベス", "新しいデータベースを使う")).toBe(true);
  expect(finds("데이타베이스", "새로운데이터베이스입니다")).toBe(true);
  expect(finds("磁帯検索機能", "この検索は便利です")).toBe(false);
});

test("T6.3 a word of any length costs no more than its length", () => {
  const long = "磁帯".repeat(200_000);
  expect(finds("検索機能の", long)).toBe(false);
  expect(finds("検索機能の", `${long}検索機能を`)).toBe(true);
  expect(finds("orchid", "x".repeat(1_000_000))).toBe(false);
});

const words = [
  "alpha",
  "alpah",
  "beta",
  "be",
  "Be",
  "a_b-c/d",
  "Σίσυφος",
  "ΣΙΣΥΦΟΣ",
  "İx",
  "İ",
  "i",
  "K2",
  "磁带検索",
  "検索機能です",
  "デ",
  "한국어",
  "1.50",
  "éé",
];
const text = fc
  .array(
    fc.oneof(fc.constantFrom(...words), fc.string({ unit: fc.constantFrom("a", "b", "l", "p", "h"), maxLength: 8 })),
    { maxLength: 7 },
  )
  .chain((parts) => fc.constantFrom(" ", "\n", "“", '"', "\\", "").map((gap) => parts.join(gap)));
const queries = fc.oneof(
  text,
  fc.constantFrom("alpha beta", "alpha alpha beta", "beta be beta", "磁带 alpha", "検索機能", "σισυφος"),
);
const values = fc.oneof(
  text,
  fc.array(fc.oneof(text, fc.integer()), { maxLength: 4 }),
  fc.dictionary(text, text, { maxKeys: 3 }),
);

test("T6.3 a word said twice is the word: two equal words are like a phrase that holds a stretch of them", () => {
  expect(finds("alpha beta", { "": "be be" })).toBe(naiveFinds("alpha beta", JSON.stringify({ "": "be be" })));
  expect(finds("alpha beta", { "": "be be" })).toBe(true);
  for (const [query, text] of [
    ["alpha beta", "be Be"],
    ["索带-I带検", "İ\\带\\I"],
    ["kilo meter", "\u212aM km"],
  ] as const)
    expect(finds(query, text)).toBe(naiveFinds(query, JSON.stringify(text)));
});

test("T6.3 property: what is found is what comparing every candidate by hand finds", { timeout: 60_000 }, () => {
  let found = 0;
  fc.assert(
    fc.property(queries, values, (query, value) => {
      const wanted = naiveFinds(query, JSON.stringify(value));
      if (wanted) found++;
      if ([...query].length >= 3) expect(finds(query, value)).toBe(wanted);
    }),
    { numRuns: 1_500 },
  );
  expect(found).toBeGreaterThan(100);
});

function naiveFinds(query: string, json: string): boolean {
  const phrase = wordsOf(query).join(" ");
  const size = [...phrase].length;
  const count = wordsOf(query).length;
  if (count === 0) return false;
  return json
    .split(/"((?:[^"\\]|\\.)*)"/)
    .map((part, index) => (index % 2 === 1 ? JSON.parse(`"${part}"`) : part))
    .flatMap((part: string) => {
      const all = wordsOf(part);
      const runs = all.map((_, at) => all.slice(at, at + count)).filter(({ length }) => length === count);
      const stretches = all
        .filter((word) => unspaced.test(word))
        .flatMap((word) => [...word].map((_, at) => [...word].slice(at, at + size)))
        .filter(({ length }) => length === size);
      return [...all, ...runs.map((run) => run.join(" ")), ...stretches.map((stretch) => stretch.join(""))];
    })
    .filter((candidate) => {
      const { length } = [...candidate];
      return length >= 3 && length * 2 >= size && length <= size * 2;
    })
    .some((candidate) => weightedRatio(phrase, candidate) >= 80 - 1e-9);
}

const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;

function wordsOf(part: string): string[] {
  return [...part.matchAll(/[\p{L}\p{M}\p{N}_/-]+/gu)]
    .flatMap(([word]) => word.split(/((?:[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])+)/u))
    .filter((word) => word !== "")
    .map((word) => [...word].map((one) => [...one.toLowerCase()][0]?.replace("ς", "σ")).join(""));
}
