// What the words of `bub install` mean: a name of the registry, a folder or tarball on this machine, or an address.
import { resolve } from "node:path";
import { BubError } from "../../base/errors.ts";
import { isPackageName, ownPackage } from "../../base/installed-packages.ts";
import { expandUserHome } from "../../base/user-home.ts";
import { checkLocalPackage } from "./local-package.ts";

export type PackageSpec =
  /** `version` is empty for the newest one. */
  | { readonly kind: "name"; readonly text: string; readonly name: string; readonly version: string }
  | { readonly kind: "local"; readonly text: string; readonly path: string }
  /** A git address, a web address: npm knows them. */
  | { readonly kind: "address"; readonly text: string };

/**
 * As npm reads them: what begins with `.`, `/`, `~/` or `file:`, or ends like a tarball, is a path.
 * @throws BubError `invalid_input` or `not_found` in one sentence
 */
export function parsePackageSpec(text: string, { folder, userHome }: SpecPlace): PackageSpec {
  if (text.trim() === "") throw new BubError("invalid_input", "An empty word names no package.");
  if (text.startsWith("-")) throw new BubError("invalid_input", `${text} names no package.`);
  if (isPath(text)) {
    const path = text.replace(/^file:/, "");
    const place = resolve(folder, expandUserHome(path, userHome));
    checkLocalPackage(place);
    return { kind: "local", text, path: place };
  }
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  if (!isPackageName(name)) return { kind: "address", text };
  if (name === ownPackage)
    throw new BubError("invalid_input", "bub itself is there for every plugin; it is not installed.");
  return { kind: "name", text, name, version: at === -1 ? "" : text.slice(at + 1) };
}

export interface SpecPlace {
  /** What relative paths start from. */
  readonly folder: string;
  readonly userHome?: string;
}

function isPath(text: string): boolean {
  return (
    /^(\.{1,2}$|\.{1,2}\/|~\/|\/|file:)/.test(text) || (/\.(tgz|tar\.gz|tar)$/.test(text) && !/^[\w+]+:/.test(text))
  );
}

/** Whether package.json asks the registry for it; else it names a file or an address. */
export function isFromRegistry(asked: string): boolean {
  return !/[:/]/.test(asked);
}

/** Whether package.json names a file of this machine. */
export function isFromFile(asked: string): boolean {
  return asked.startsWith("file:");
}
