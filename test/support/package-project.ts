// Plugin projects for tests, as npm would have left them, and packages to install.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package's files by their paths in it. */
export type PackageFiles = Readonly<Record<string, string>>;

/** A plugin as a module's text, for places where `bub` cannot be imported. */
export const pluginText = (body: string): string =>
  `export default Object.defineProperty(${body}, Symbol.for("bub.plugin"), { value: true });\n`;

export function manifestText(manifest: object): string {
  return JSON.stringify({ version: "1.0.0", type: "module", ...manifest });
}

/** The files of a package with a plugin. */
export const pluginPackage = (name: string, body: string, manifest: object = {}): PackageFiles => ({
  "package.json": manifestText({ name, bub: "./plugin.js", ...manifest }),
  "plugin.js": pluginText(body),
});

export function writePackage(folder: string, files: PackageFiles): string {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

/** Writes the project of a home, with these packages by name; undefined: asked for, and not there. */
export function writeProject(home: string, packages: Readonly<Record<string, PackageFiles | undefined>>): string {
  const project = join(home, "bub-project");
  mkdirSync(project, { recursive: true });
  const dependencies = Object.fromEntries(Object.keys(packages).map((name) => [name, "1.0.0"]));
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
  for (const [name, files] of Object.entries(packages)) {
    if (files !== undefined) writePackage(join(project, "node_modules", name), files);
  }
  return project;
}
