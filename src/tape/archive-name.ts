// How archives of tapes are called: `<tape>.jsonl.20261130T125235123Z.bak`.
import type { TapeId } from "../base/ids.ts";

/** The name of an archive that is made of a file at a time (milliseconds since 1970). */
export function archiveNameOf(file: string, time: number): string {
  return `${file}.${new Date(time).toISOString().replace(/[-:.]/g, "")}.bak`;
}

const pattern = /^(.+)\.jsonl\.(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.bak$/;

/** The tape, or sidecar, and the time (ISO-8601, UTC); undefined for another file's name. */
export function parseArchiveName(name: string): { id: TapeId; date: string } | undefined {
  const [, id, year, month, day, hours, minutes, seconds, milliseconds] = pattern.exec(name) ?? [];
  if (id === undefined) return undefined;
  return { id: id as TapeId, date: `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${milliseconds}Z` };
}

/** The name of the file that an archive was made of. */
export function archivedFile(name: string): string {
  return name.replace(/\.\w+\.bak$/, "");
}
