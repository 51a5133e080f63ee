import { expect, test } from "vitest";
import { CancelledError } from "../base/abort.ts";
import { SessionQueue } from "./session-queue.ts";

const never = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("R1.6 turns of one session enter one after the other, in the order in which they came; other sessions do not wait", async () => {
  const queue = new SessionQueue();
  const entered: string[] = [];
  const enter = async (session: string, name: string) => {
    const leave = await queue.enter(session, never);
    entered.push(name);
    return leave;
  };
  const first = await enter("a", "first");
  const second = enter("a", "second");
  const third = enter("a", "third");
  await enter("b", "other");
  await settled();
  expect(entered).toEqual(["first", "other"]);
  first();
  (await second)();
  (await third)();
  expect(entered).toEqual(["first", "other", "second", "third"]);
  await settled();
  expect(queue.isBusy("a")).toBe(false);
  expect(queue.isBusy("b")).toBe(true);
});

test("R1.7 one that is cancelled while it waits is passed over, and the next one waits for those before it", async () => {
  const queue = new SessionQueue();
  const leave = await queue.enter("a", never);
  const stop = new AbortController();
  const waiting = queue.enter("a", stop.signal);
  let isIn = false;
  const next = queue.enter("a", never).then((out) => {
    isIn = true;
    return out;
  });
  const reason = new CancelledError();
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await settled();
  expect(isIn).toBe(false);
  leave();
  (await next)();
});
