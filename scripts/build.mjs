// Builds dist/: one esbuild run with splitting, so that the command line and every public entry share their chunks.
//
//   node scripts/build.mjs            JavaScript only, about a second
//   node scripts/build.mjs --types    also the declarations, by tsc
//
// A file whose content is unchanged is left alone and a changed one is replaced by rename: a process that is running
// from dist/ never meets a missing or half-written file.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

const entries = {
  index: "src/index.ts",
  plugins: "src/plugins/index.ts",
  testing: "src/testing/index.ts",
};

// CommonJS packages in the bundle call `require` for Node's own modules; an ES module has none. Only the file that holds
// esbuild's stand-in gets it, so that the others do not load node:module.
const requireBanner = `import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
`;

const present = Object.fromEntries(Object.entries(entries).filter(([, path]) => existsSync(join(root, path))));
for (const [name, path] of Object.entries(entries)) {
  if (!(name in present)) console.error(`build: skipped ${name}, there is no ${path}`);
}
if (Object.keys(present).length > 0) {
  // esbuild has printed what is wrong and where.
  await buildJavaScript().catch((error) => {
    if (!("errors" in error)) throw error;
    process.exit(1);
  });
}
if (process.argv.includes("--types")) buildTypes();

async function buildJavaScript() {
  const { build } = await import("esbuild");
  const common = {
    absWorkingDir: root,
    outdir: "dist",
    bundle: true,
    platform: "node",
    target: "node20",
    // Its entry for Node is CommonJS, and a CommonJS module that a bundle imports lazily comes without its names.
    alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
    treeShaking: true,
    minify: process.env.BUB_BUILD_MINIFY === "1",
    legalComments: "external",
    metafile: true,
    write: false,
    logLevel: "warning",
  };
  const work = await build({
    ...common,
    entryPoints: { work: "src/cli/work.ts" },
    entryNames: "[name]-[hash]",
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // A script has none: what is imported late is required late.
    supported: { "dynamic-import": false },
    // Comments would be read at each start.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 160,
    define: { "import.meta.url": "moduleAddress" },
    banner: { js: "(function (exports, require, module, importModule, moduleAddress) {" },
    footer: { js: "})" },
  });
  const [workFile] = work.outputFiles.map(({ path }) => relative(dist, path)).filter((path) => path.endsWith(".cjs"));
  const command = await build({
    ...common,
    entryPoints: { cli: "src/cli/main.ts" },
    format: "esm",
    define: { workFile: JSON.stringify(workFile) },
  });
  const library = await build({
    ...common,
    entryPoints: present,
    entryNames: "[name]",
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: "esm",
  });
  const results = [work, command, library];
  const written = new Set();
  for (const file of results.flatMap(({ outputFiles }) => outputFiles)) {
    const path = relative(dist, file.path);
    written.add(path);
    replaceFile(join(dist, path), finishedText(path, file.text));
  }
  const notices = "THIRD-PARTY-NOTICES.txt";
  written.add(notices);
  replaceFile(join(dist, notices), renderNotices(bundledPackages(results)));
  removeStale(dist, written);
  if (existsSync(join(dist, "cli.js"))) chmodSync(join(dist, "cli.js"), 0o755);
}

function finishedText(path, text) {
  if (path.endsWith(".cjs")) return startedSoon(text);
  const shebang = "#!/usr/bin/env node\n";
  const body = text.startsWith("#!") ? text.slice(text.indexOf("\n") + 1) : text;
  const banner = path.endsWith(".js") && body.includes("Dynamic require of") ? requireBanner : "";
  return (path === "cli.js" ? shebang : "") + banner + body;
}

/**
 * What V8 has to do before the first line runs is less: a key of its own for each module, of which esbuild reads none,
 * would be a shape of its own for each; and text of one byte a character (what is left of others stands in regular
 * expressions) needs no decoding.
 */
function startedSoon(text) {
  const keys = /(__(?:esm|commonJS)\(\{)\s*"[^"]*"\(/g;
  return text.replace(keys, "$1load(").replace(/[^\0-\x7f]/g, escapedCharacter);
}

function escapedCharacter(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function replaceFile(path, text) {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

function removeStale(folder, written) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (name === "types" || name.startsWith("types/") || written.has(name)) continue;
    // Another build may be writing; its temporary files are its own.
    if (name.endsWith(".tmp") || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    rmSync(path, { force: true });
  }
}

/** The folders of the packages that put at least one byte into the bundle. */
function bundledPackages(results) {
  const folders = new Set();
  for (const output of results.flatMap(({ metafile }) => Object.values(metafile.outputs))) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (found && bytesInOutput > 0) folders.add(found[1]);
    }
  }
  return [...folders].sort();
}

function renderNotices(folders) {
  const sections = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(root, folder, file), "utf8").trim() : `Licence: ${license}`;
    return `${name} ${version}\n\n${text}\n`;
  });
  return `Bub contains code of these packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`;
}

function buildTypes() {
  rmSync(join(dist, "types"), { recursive: true, force: true });
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.types.json"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
