// An age as a person writes it on the command line.
import { UsageError } from "./command-context.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const spans: Readonly<Record<string, number>> = { h: hourMs, d: dayMs, w: 7 * dayMs, y: 365 * dayMs };

/**
 * The time that was so long ago: `12h`, `30d`, `8w`, `1y`. Undefined for what is written otherwise.
 * @throws UsageError for an age before all time
 */
export function parseAge(text: string, now: Date): Date | undefined {
  const [, count, unit] = /^(\d{1,9})\s?([hdwy])$/i.exec(text.trim()) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const date = new Date(now.getTime() - Number(count) * (spans[unit.toLowerCase()] ?? 0));
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1) throw new UsageError(`${text} is before all time.`);
  return date;
}
