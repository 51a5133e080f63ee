// Loads code as an earlier start has compiled it: compiling takes longer than most of what a command does.
import type { Stats } from "node:fs";

// By plain calls: an `import` of these would take longer than all that is asked of them here.
const {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} = process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");

/** What the file holds: a function around the code, so that it can be given what a module has. */
type Body = (
  exports: object,
  require: (name: string) => object,
  module: { exports: object },
  importModule: (address: string) => Promise<unknown>,
  moduleAddress: string,
) => void;

/** Of SHA-1, which stands behind the code: against damage, not against anybody. */
const digestBytes = 20;
const oldMs = 24 * 60 * 60 * 1000;

/**
 * What a file of the build exports. At the end of a process that succeeds, what was compiled is kept for the next start.
 * @param file made for this; its name changes with its content
 * @param word the first of the command line: each command uses other parts, and keeps its own
 */
export function loadKept<Exports>(file: string, word = ""): Exports {
  const { Script } = process.getBuiltinModule("node:vm");
  const kept = keptFile(file, word);
  const cachedData = kept === undefined ? undefined : readKept(kept);
  // The build writes ASCII alone, which needs no decoding.
  const script = new Script(readFileSync(file, "latin1"), { filename: file, cachedData });
  const body = script.runInThisContext() as Body;
  const module = { exports: {} };
  body(module.exports, requireBuiltin, module, (address) => import(address), import.meta.url);
  // Undefined where nothing was kept, true for what another V8 has kept.
  if (kept !== undefined && script.cachedDataRejected !== false) {
    process.once("exit", (code) => {
      // Until here `body` is in use: the code of a function that is gone could not be kept.
      if (code === 0 && body.length > 0) keep(kept, script.createCachedData());
    });
  }
  return module.exports as Exports;
}

function requireBuiltin(name: string): object {
  const found = process.getBuiltinModule(name) as object | undefined;
  if (found === undefined) throw Object.assign(new Error(`there is no module ${name}`), { code: "MODULE_NOT_FOUND" });
  return found;
}

/** Undefined where nothing shall be kept: Node's own variable turns this off, too. */
function keptFile(file: string, word: string): string | undefined {
  if (process.env.NODE_DISABLE_COMPILE_CACHE === "1") return undefined;
  const { tmpdir } = process.getBuiltinModule("node:os");
  const { basename } = process.getBuiltinModule("node:path");
  const command = /^[a-z]{1,20}$/.test(word) ? word : "options";
  const name = `${basename(file, ".cjs")}-${command}-${process.version}-${process.arch}`;
  return join(tmpdir(), `bub-code-${process.getuid?.() ?? "user"}`, name);
}

function readKept(path: string): Buffer | undefined {
  try {
    return isOurs(lstatSync(join(path, ".."))) ? withoutDigest(readFileSync(path)) : undefined;
  } catch {
    return undefined;
  }
}

/** V8 runs what it reads without a look at it, whatever has become of the bytes. */
function withoutDigest(bytes: Buffer): Buffer | undefined {
  const code = bytes.subarray(0, -digestBytes);
  return digestOf(code).equals(bytes.subarray(-digestBytes)) ? code : undefined;
}

function digestOf(code: Buffer): Buffer {
  return process.getBuiltinModule("node:crypto").createHash("sha1").update(code).digest();
}

/** What others could write would run as us. */
function isOurs(folder: Stats): boolean {
  const user = process.getuid?.();
  return folder.isDirectory() && (user === undefined || (folder.uid === user && (folder.mode & 0o022) === 0));
}

/** Where it cannot be kept, the next start takes as long as this one. */
function keep(path: string, code: Buffer): void {
  const folder = join(path, "..");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOurs(lstatSync(folder))) return;
    removeOld(folder);
    replaceFile(path, code);
  } catch {
    // A full disk, a folder that takes no files: nobody asked for it.
  }
}

/** The name never stands for bytes that did not arrive. */
function replaceFile(path: string, code: Buffer): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(file, code);
    writeFileSync(file, digestOf(code));
    fsyncSync(file);
    renameSync(temporary, path);
  } catch {
    unlinkSync(temporary);
  } finally {
    closeSync(file);
  }
}

/** Other builds' code; where two are in use, each is kept anew at most once a day. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - lstatSync(path).mtimeMs > oldMs) rmSync(path, { force: true });
  }
}
