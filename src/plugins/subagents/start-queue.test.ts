import { expect, test } from "vitest";
import { enterQueue } from "./start-queue.ts";

test("T7.5 at most as many run as the limit says, the others start in the order in which they came", () => {
  const started: string[] = [];
  const places = new Map(["a", "b", "c", "d"].map((name) => [name, enterQueue(2, () => started.push(name))]));
  expect(started).toEqual(["a", "b"]);
  places.get("b")?.();
  places.get("b")?.();
  expect(started).toEqual(["a", "b", "c"]);
  places.get("a")?.();
  expect(started).toEqual(["a", "b", "c", "d"]);
  for (const leave of places.values()) leave();
});

test("T7.5 who leaves while waiting never starts, and holds nobody", () => {
  const started: string[] = [];
  const first = enterQueue(1, () => started.push("first"));
  const second = enterQueue(1, () => started.push("second"));
  const third = enterQueue(1, () => started.push("third"));
  second();
  first();
  expect(started).toEqual(["first", "third"]);
  third();
});

test("T7.5 the limit is the process's: a runtime with a smaller one waits for all that run", () => {
  const started: string[] = [];
  const wide = [1, 2, 3].map((index) => enterQueue(3, () => started.push(`wide ${index}`)));
  const narrow = enterQueue(1, () => started.push("narrow"));
  const behind = enterQueue(3, () => started.push("behind"));
  wide[0]?.();
  wide[1]?.();
  expect(started).toEqual(["wide 1", "wide 2", "wide 3"]);
  wide[2]?.();
  expect(started).toEqual(["wide 1", "wide 2", "wide 3", "narrow", "behind"]);
  narrow();
  behind();
});
