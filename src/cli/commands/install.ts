// `bub install`: packages of npm, put into the plugin project and checked.

import type { CommandContext } from "../command-context.ts";
import { eachPackage } from "../project/each-package.ts";
import { parsePackageSpec } from "../project/package-spec.ts";
import { type ChangedPackage, installPackage } from "../project/packages.ts";
import { openProject } from "../project/project-folder.ts";

/** Answers 1 when one of them is not installed. */
export async function runInstall(
  words: readonly string[],
  { provider = false }: { provider?: boolean },
  context: CommandContext,
): Promise<number> {
  const specs = words.map((word) => parsePackageSpec(word, { folder: process.cwd() }));
  const { stdout, stderr } = context;
  stderr.write("What you install is code that runs on this machine with your rights: install only what you trust.\n");
  await using project = await openProject(context);
  return await eachPackage(specs, context, async (spec) => {
    stderr.write(`Installing ${spec.text} into ${project.folder} …\n`);
    stdout.write(`${renderInstalled(await installPackage(spec, project, { isProvider: provider, context }))}\n`);
  });
}

function renderInstalled({ name, version, oldVersion, use }: ChangedPackage): string {
  const instead = oldVersion === undefined || oldVersion === version ? "" : ` in place of ${oldVersion}`;
  return `Installed ${name} ${version}${instead}: ${use}.`;
}
