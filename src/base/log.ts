// The logger's contract and the secrets that never reach a line of it.
import { isBubError, messageOf } from "./errors.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Record<string, unknown>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines all carry `fields`. */
  child(fields: LogFields): Logger;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

export interface LoggerOptions {
  /** Takes one finished line without its newline. */
  write: (line: string) => void;
  level?: LogLevel;
  mask?: (text: string) => string;
  fields?: LogFields;
  now?: () => Date;
}

/** Writes one JSON object a line: `{"time","level","message",…fields}`, secrets masked. */
export function createLogger({
  write,
  level = "warn",
  mask = (text) => text,
  fields = {},
  now = () => new Date(),
}: LoggerOptions): Logger {
  const line =
    (lineLevel: LogLevel) =>
    (message: string, own: LogFields = {}) => {
      if (levels.indexOf(lineLevel) < levels.indexOf(level)) return;
      write(
        mask(JSON.stringify({ time: now().toISOString(), level: lineLevel, message, ...fields, ...own }, readable)),
      );
    };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: (more) => createLogger({ write, level, mask, fields: { ...fields, ...more }, now }),
  };
}

/** Drops every line; for tests and embedders that want none. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};

/** Knows this process's secrets and replaces them in any text. */
export class SecretMask {
  /** The longest first: one may be the beginning of another. */
  #secrets: readonly string[] = [];

  /** Short values are no secrets worth breaking text for: under 6 characters nothing is remembered. */
  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < 6 || this.#secrets.includes(secret)) return;
    // In JSON its quotes and backslashes are written in another way.
    const forms = new Set([...this.#secrets, secret, JSON.stringify(secret).slice(1, -1)]);
    this.#secrets = [...forms].sort((one, other) => other.length - one.length);
  }

  readonly mask = (text: string): string => {
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, "***");
    return masked;
  };
}

function readable(_key: string, value: unknown): unknown {
  if (isBubError(value)) return { kind: value.kind, message: value.message, details: value.details };
  if (value instanceof Error) return { name: value.name, message: messageOf(value), stack: value.stack };
  return value;
}
