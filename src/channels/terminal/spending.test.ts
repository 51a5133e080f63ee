import { expect, test } from "vitest";
import { Spending } from "./spending.ts";

test("R5.2 the cost is told once something has a price, and that there was more when something had none", () => {
  const spending = new Spending();
  spending.prices = { "a:*": { input: 10, output: 100 } };
  spending.add({ input_tokens: 1000, output_tokens: 10 }, "b:x");
  expect(spending.cost).toBeUndefined();
  spending.reset();
  spending.add({ input_tokens: 1000, output_tokens: 10 }, "a:x");
  expect(spending.cost).toBe("$0.0110");
  spending.addCost({ input_tokens: 100_000 }, "a:child");
  expect(spending.cost).toBe("$1.01");
  expect(spending.usage).toEqual({ input_tokens: 1000, output_tokens: 10 });
  spending.addCost({ input_tokens: 1 }, "b:x");
  expect(spending.cost).toBe("$1.01+");
});
