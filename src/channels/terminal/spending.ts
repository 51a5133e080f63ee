// What the conversation used since chat began: tokens of its own, and what they and its children's came to.
import { addUsage, type Usage } from "../../base/events.ts";
import { costOf, type Prices, priceOf } from "../../kernel/prices.ts";

export class Spending {
  /** Tokens of the conversation itself. */
  usage: Usage = {};
  prices: Prices = {};
  #cost = 0;
  #isPriced = false;
  #hasUnpriced = false;

  /** One more model call of the conversation. @param model `provider:model` */
  add(usage: Usage, model: string): void {
    addUsage(this.usage, usage);
    this.addCost(usage, model);
  }

  /** One more model call of a child, which is paid for as well. */
  addCost(usage: Usage, model: string): void {
    const price = priceOf(model, this.prices);
    this.#hasUnpriced ||= price === undefined;
    if (price === undefined) return;
    this.#isPriced = true;
    this.#cost += costOf(usage, price);
  }

  /** `$0.0123`; with a `+` when something was used that has no price; undefined while nothing has one. */
  get cost(): string | undefined {
    if (!this.#isPriced) return undefined;
    const digits = this.#cost < 0.1 ? 4 : this.#cost < 1 ? 3 : 2;
    return `$${this.#cost.toFixed(digits)}${this.#hasUnpriced ? "+" : ""}`;
  }

  /** Another conversation begins. */
  reset(): void {
    this.usage = {};
    this.#cost = 0;
    this.#isPriced = false;
    this.#hasUnpriced = false;
  }
}
