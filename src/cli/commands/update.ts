// `bub update`: brings the newest versions of installed packages.

import { homeOf } from "../../kernel/settings.ts";
import type { CommandContext } from "../command-context.ts";
import { eachPackage } from "../project/each-package.ts";
import { type ChangedPackage, installedNames, updatePackage } from "../project/packages.ts";
import { hasProject, openProject } from "../project/project-folder.ts";

/** Answers 1 when one of them stays as it is because something failed. */
export async function runUpdate(words: readonly string[], _options: object, context: CommandContext): Promise<number> {
  const { stdout, stderr } = context;
  const home = homeOf(context.env);
  if (!hasProject(home)) {
    await installedNames(words, { home });
    stdout.write("Nothing is installed.\n");
    return 0;
  }
  await using project = await openProject(context);
  const names = await installedNames(words, project);
  if (names.length === 0) stdout.write("Nothing is installed.\n");
  return await eachPackage(names, context, async (name) => {
    stderr.write(`Looking for a newer ${name} …\n`);
    const changed = await updatePackage(name, project, { isProvider: false, context });
    stdout.write(`${renderUpdated(name, changed)}\n`);
  });
}

function renderUpdated(name: string, changed: ChangedPackage | undefined): string {
  if (changed === undefined) return `${name} came from a file and stays; bub install takes a newer one.`;
  const { version, oldVersion, use } = changed;
  if (oldVersion === version) return `${name} ${version} is the newest.`;
  return `Updated ${name}${oldVersion === undefined ? "" : ` from ${oldVersion}`} to ${version}: ${use}.`;
}
