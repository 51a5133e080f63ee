// What a path given by a model or a person means.
import { resolve } from "node:path";
import { BubError } from "../base/errors.ts";
import { expandUserHome, homeOfUser } from "../base/user-home.ts";

export interface PathPlace {
  workspace: string | undefined;
  /** The person's own folder, for `~`. */
  userHome?: string;
}

/**
 * The absolute form of a path: `~` expanded, relative ones below the workspace; `..` may leave it.
 * @throws BubError for a relative path without a workspace
 */
export function resolvePath(path: string, { workspace, userHome = homeOfUser() }: PathPlace): string {
  if (path.includes("\0"))
    throw new BubError("invalid_input", `the path ${JSON.stringify(path)} holds a NUL character`);
  if (path === "") throw new BubError("invalid_input", "the path is empty");
  const expanded = expandUserHome(path, userHome);
  if (expanded.startsWith("/")) return resolve(expanded);
  if (workspace === undefined) {
    throw new BubError("invalid_input", `relative path '${path}' is not allowed without a workspace`);
  }
  return resolve(workspace, path);
}
