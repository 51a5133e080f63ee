// Says whose code failed where nobody waited for it: a rejected promise, a timer that threw.
import { readFileSync } from "node:fs";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { sentencesOf, wholeSentencesOf } from "../base/errors.ts";
import { isJsonObject, parseJson } from "../base/json.ts";

interface Place {
  readonly file: string;
  readonly line: string;
}

/** One sentence and what to do about it. What failed in Bub's own code keeps its own. @param own the folder of that code */
export function renderStray(error: unknown, own = dirname(fileURLToPath(import.meta.url))): string {
  const places = placesIn(error).filter(({ file }) => !file.startsWith(own + sep));
  const installed = places.map(({ file }) => installedPackage(file)).find((name) => name !== undefined);
  const why = `where nobody waited for it: ${wholeSentencesOf(error)}`;
  if (installed !== undefined)
    return `Code of the package ${installed} failed ${why} bub uninstall ${installed} takes it out; its author would like to know.`;
  const [first] = places;
  if (first !== undefined)
    return `Code at ${first.file}:${first.line} failed ${why} Leave that plugin out, or await the promise there and catch what it throws.`;
  return error instanceof Error ? sentencesOf(error) : `Something that is no error was thrown ${why}`;
}

/** Files of the stack, the innermost first; what Node has inside itself is no file. */
function placesIn(error: unknown): Place[] {
  const stack = error instanceof Error && typeof error.stack === "string" ? error.stack : "";
  return stack.split("\n").flatMap((text) => {
    const [, address, line = ""] = /(?:\(|\bat (?:async )?)((?:file:\/\/|\/)[^()]*):(\d+):\d+\)?$/.exec(text) ?? [];
    const file = address === undefined ? undefined : pathOf(address);
    return file === undefined ? [] : [{ file, line }];
  });
}

function pathOf(address: string): string | undefined {
  if (!address.startsWith("file:")) return address;
  try {
    return fileURLToPath(address.replace(/[?#].*$/, ""));
  } catch {
    return undefined;
  }
}

/** The package that somebody has installed, which may have failed in one that it depends on. */
function installedPackage(file: string): string | undefined {
  const [, project = "", name = ""] =
    /^(.*[\\/]bub-project)[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file) ?? [];
  if (name === "") return undefined;
  try {
    const manifest = parseJson(readFileSync(`${project}${sep}package.json`, "utf8"));
    const asked = isJsonObject(manifest) ? manifest.dependencies : undefined;
    return isJsonObject(asked) && Object.hasOwn(asked, name) ? name : undefined;
  } catch {
    return undefined;
  }
}
