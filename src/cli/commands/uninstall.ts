// `bub uninstall`: takes packages out of the plugin project.

import { homeOf } from "../../kernel/settings.ts";
import type { CommandContext } from "../command-context.ts";
import { eachPackage } from "../project/each-package.ts";
import { installedNames, uninstallPackage } from "../project/packages.ts";
import { hasProject, openProject } from "../project/project-folder.ts";

/** Answers 1 when one of them could not be taken out. */
export async function runUninstall(
  words: readonly string[],
  _options: object,
  context: CommandContext,
): Promise<number> {
  const home = homeOf(context.env);
  if (!hasProject(home)) await installedNames(words, { home });
  await using project = await openProject(context);
  const names = await installedNames(words, project);
  return await eachPackage(names, context, async (name) => {
    context.stderr.write(`Removing ${name} from ${project.folder} …\n`);
    await uninstallPackage(name, project);
    context.stdout.write(`Removed ${name}.\n`);
  });
}
