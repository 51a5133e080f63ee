// Knows the user's home folder, also where the environment names none and the user is on no list, as in many containers.
import { homedir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** An absolute path: what `HOME` says unless it is empty or relative, else what the system knows, else the root. Never throws. */
export function homeOfUser({ HOME = "" }: { readonly HOME?: string | undefined } = {}): string {
  if (isAbsolute(HOME)) return HOME;
  for (const way of [homedir, () => userInfo().homedir]) {
    const found = attempt(way);
    if (isAbsolute(found)) return found;
  }
  return resolve("/");
}

/** A path with its leading `~` or `~/` replaced; any other stays as it is. */
export function expandUserHome(path: string, userHome = homeOfUser()): string {
  return path === "~" || path.startsWith("~/") ? join(userHome, path.slice(1)) : path;
}

function attempt(way: () => string): string {
  try {
    return way();
  } catch {
    return "";
  }
}
