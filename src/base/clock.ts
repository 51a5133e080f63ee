// Time as a port, so that tests turn it.
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
