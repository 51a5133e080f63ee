import { expect, test } from "vitest";
import { costOf, parsePrices, priceOf } from "./prices.ts";

test("R5.2 cost: cached input is a part of the input and has its own price; without one it costs as the rest", () => {
  const usage = { input_tokens: 1_000_000, cached_tokens: 400_000, output_tokens: 100_000 };
  expect(costOf(usage, { input: 2, cached_input: 0.5, output: 10 })).toBeCloseTo(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10);
  expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo(2 + 1);
  expect(costOf({}, { input: 2, output: 10 })).toBe(0);
});

test("R5.2 cost: the price of a model is found by its name, else by the longest beginning with a star", () => {
  const price = (input: number) => ({ input, output: 1 });
  const prices = { "a:*": price(1), "a:big*": price(2), "a:big-1": price(3) };
  expect(priceOf("a:big-1", prices)).toEqual(price(3));
  expect(priceOf("a:big-2", prices)).toEqual(price(2));
  expect(priceOf("a:small", prices)).toEqual(price(1));
  expect(priceOf("b:big", prices)).toBeUndefined();
  expect(priceOf("toString", {})).toBeUndefined();
});

test("R5.2 cost: what is no price is refused as a whole", () => {
  expect(parsePrices({ "a:b": { input: 1, cached_input: 0, output: 2.5 } })).toBeDefined();
  for (const price of [1, {}, { input: 1 }, { input: 1, output: -1 }, { input: "1", output: 1 }])
    expect(parsePrices({ "a:b": price })).toBeUndefined();
  expect(parsePrices({ "a:b": { input: 1, output: 1, ouput: 1 } })).toBeUndefined();
  expect(parsePrices([])).toBeUndefined();
});
