// A clock that stands still until it is turned.
import type { Clock } from "../base/clock.ts";

export interface TestClock extends Clock {
  /** @param iso a date and time, as `2026-11-30T10:00:00Z` */
  set(iso: string): void;
}

export function clockAt(iso: string): TestClock {
  let now = new Date(iso);
  return {
    now: () => new Date(now),
    set(later) {
      now = new Date(later);
    },
  };
}
