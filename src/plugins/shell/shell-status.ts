// How a shell stands, in the words of its tools.
import type { Shell } from "./shell-registry.ts";

export interface ShellStatus {
  readonly shell_id: string;
  readonly status: "running" | "exited";
  /** Null while it runs, negative for a signal. */
  readonly exit_code: number | null;
}

export function statusOf({ id, exit }: Shell): ShellStatus {
  return { shell_id: id, status: exit === undefined ? "running" : "exited", exit_code: exit?.exitCode ?? null };
}
