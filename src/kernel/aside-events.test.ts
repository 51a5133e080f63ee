import { expect, test } from "vitest";
import type { StreamEvent } from "../base/events.ts";
import { AsideEvents } from "./aside-events.ts";

const notice = (message: string) => ({ type: "notice", message, is_passing: true }) as const;
const result = (message: string) => ({ done: false, value: notice(message) as StreamEvent }) as const;

test("R2.2 events from beside a run come between its own, in the order in which they were told", async () => {
  const asides = new AsideEvents();
  const own = [result("one"), result("two")];
  const pull = async () => own.shift() ?? ({ done: true, value: undefined } as const);
  asides.tell(notice("before"));
  asides.tell(notice("too"));
  const seen: unknown[] = [];
  for (;;) {
    const next = await asides.next(pull);
    if (next.told !== undefined) seen.push(next.told.type === "notice" && next.told.message);
    else if (next.pulled.done === true) break;
    else seen.push((next.pulled.value as { message?: string }).message);
    if (seen.length === 3) asides.tell(notice("between"));
  }
  expect(seen).toEqual(["before", "too", "one", "between", "two"]);
});

test("R2.2 while the run is silent, what is told comes at once, and the run is asked only once", async () => {
  const asides = new AsideEvents();
  let answer: (value: IteratorResult<StreamEvent, void>) => void = () => undefined;
  let pulls = 0;
  const pull = () => {
    pulls += 1;
    return new Promise<IteratorResult<StreamEvent, void>>((resolve) => {
      answer = resolve;
    });
  };
  for (const message of ["a", "b", "c"]) {
    const next = asides.next(pull);
    await Promise.resolve();
    asides.tell(notice(message));
    expect(await next).toEqual({ told: notice(message) });
  }
  const next = asides.next(pull);
  answer(result("own"));
  expect(await next).toEqual({ pulled: result("own") });
  expect(pulls).toBe(1);
});

test("a run that fails is thrown, after what was told before", async () => {
  const asides = new AsideEvents();
  const pull = () => Promise.reject(new Error("broken"));
  const first = asides.next(pull);
  await expect(first).rejects.toThrow("broken");
  asides.tell(notice("a"));
  expect(await asides.next(pull)).toEqual({ told: notice("a") });
  asides.end();
  asides.tell(notice("late"));
  await expect(asides.next(pull)).rejects.toThrow("broken");
});
