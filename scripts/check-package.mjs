// Checks what would be published: publint, and that a user's compiler needs no package of ours to read the declarations.
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const problems = [];

const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [] : [target]));
const built = targets.every((target) => existsSync(join(root, target.default)) && existsSync(join(root, target.types)));
if (built && existsSync(join(root, manifest.bin.bub))) {
  await checkManifest();
  for (const { types } of targets) checkDeclarations(join(root, types));
  console.log("check-package: ok unless a line below says otherwise");
} else {
  console.log("check-package: skipped, not every entry is built");
}
for (const problem of new Set(problems)) console.error(`check-package: ${problem}`);
if (problems.length > 0) process.exitCode = 1;

async function checkManifest() {
  if (Object.keys(manifest.dependencies ?? {}).length > 0) problems.push("package.json has run-time dependencies");
  const { messages, pkg } = await publint({ pkgDir: root, pack: "npm", strict: true });
  for (const message of messages) problems.push(formatMessage(message, pkg));
}

/** Follows the relative imports of a declaration file; a bare one that is not Node's is a package the user lacks. */
function checkDeclarations(file, seen = new Set()) {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, specifier] of text.matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)["']([^"']+)["']/gm)) {
    if (specifier.startsWith(".")) {
      checkDeclarations(join(dirname(file), specifier.replace(/\.(ts|js)$/, ".d.ts")), seen);
    } else if (!isBuiltin(specifier)) {
      problems.push(`${relative(root, file)} needs the types of ${specifier}, which is not published`);
    }
  }
}
