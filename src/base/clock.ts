// Time as a port, so that tests turn it.
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** What a timer can hold (milliseconds); with more it would be over at once. */
export const longestTimerMs = 2 ** 31 - 1;
