// Numbers, sizes and ages as people say them.

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

/** `1 anchor`, `2 anchors`. @param many where an s is not enough: `2 matches` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago a date was: `now`, `5 min`, `3 h`, `12 d`, from 60 days on the date itself. @param date ISO-8601, if text */
export function renderAge(date: Date | string, now: Date): string {
  const age = now.getTime() - (typeof date === "string" ? Date.parse(date) : date.getTime());
  if (Number.isNaN(age) || age >= 60 * dayMs)
    return (typeof date === "string" ? date : date.toISOString()).slice(0, 10);
  if (age < minuteMs) return "now";
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min`;
  return age < dayMs ? `${Math.floor(age / hourMs)} h` : `${Math.floor(age / dayMs)} d`;
}
