// Sizes and ages as people say them.
import { UsageError } from "./command-context.ts";

const units = ["B", "KB", "MB", "GB", "TB"];

/** `812 B`, `12 KB`, `3.4 GB`: steps of 1000, two digits at least. */
export function renderBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** `1 anchor`, `2 anchors`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago an ISO date was: `now`, `5 min`, `3 h`, `12 d`, from 60 days on the date itself. */
export function renderAge(date: string, now: Date): string {
  const age = now.getTime() - Date.parse(date);
  if (Number.isNaN(age) || age >= 60 * dayMs) return date.slice(0, 10);
  if (age < minuteMs) return "now";
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min`;
  return age < dayMs ? `${Math.floor(age / hourMs)} h` : `${Math.floor(age / dayMs)} d`;
}

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
