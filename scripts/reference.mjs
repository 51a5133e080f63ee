// Writes docs/reference from the code: tools, hooks, settings, events, errors and commands.
//
//   node scripts/reference.mjs            writes the pages
//   node scripts/reference.mjs --check    fails when one of them is not what the code says
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { renderPages } from "./reference/pages.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "docs", "reference");

/** What the pages are made of, as the program has it. */
const entry = `
import { createMemoryEnvironment } from "./src/environment/memory.ts";
import { definePlugin } from "./src/kernel/plugin.ts";
import { createRuntime } from "./src/kernel/runtime.ts";
import { defaults } from "./src/plugins/defaults.ts";
import { createMemoryStorage } from "./src/tape/memory-store.ts";
export { commands, globalOptions, helpOption, versionOption } from "./src/cli/command-table.ts";
export { hookKinds } from "./src/kernel/hooks.ts";
export { configKeyOf, settingTable } from "./src/kernel/setting-table.ts";
export { usageOf } from "./src/tools/command-line.ts";

export async function readTools(home) {
  const nowhere = definePlugin({
    name: "nowhere",
    provideTapeStore: () => createMemoryStorage(),
    provideEnvironment: () => createMemoryEnvironment({ workspace: "/work" }),
  });
  await using runtime = await createRuntime({ plugins: [...defaults, nowhere], settings: { home }, env: {} });
  return runtime.tools;
}
`;

const work = mkdtempSync(join(tmpdir(), "bub-reference-"));
try {
  const code = await loadCode();
  const pages = await renderPages(root, { ...code, readTools: () => code.readTools(join(work, "home")) });
  if (process.argv.includes("--check")) check(pages);
  else write(pages);
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function loadCode() {
  const outfile = join(work, "code.mjs");
  await build({
    absWorkingDir: root,
    stdin: { contents: entry, resolveDir: root, loader: "ts", sourcefile: "reference-entry.ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // As in build.mjs.
    alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}

function write(pages) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text);
  console.log(`reference: ${Object.keys(pages).length} pages written`);
}

function check(pages) {
  const present = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
  const stale = Object.entries(pages).filter(([name, text]) => !present.includes(name) || !isSame(name, text));
  const foreign = present.filter((name) => !(name in pages));
  console.log(`reference: ${Object.keys(pages).length} pages`);
  for (const [name] of stale)
    console.error(`reference: docs/reference/${name} is not what the code says: npm run docs`);
  for (const name of foreign) console.error(`reference: docs/reference/${name} is written by nobody`);
  if (stale.length + foreign.length > 0) process.exitCode = 1;
}

function isSame(name, text) {
  return readFileSync(join(folder, name), "utf8") === text;
}
