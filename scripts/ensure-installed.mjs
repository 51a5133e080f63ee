// Runs `npm ci` when node_modules is missing or was installed from another lock file. Needs nothing but Node and npm.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: Bub needs 20.19 or later.`);
  process.exit(1);
}

const reason = whyInstall();
if (reason !== undefined) {
  console.error(`${reason}: running npm ci …`);
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", process.stderr, process.stderr],
    shell: process.platform === "win32",
  });
  if (error) console.error(`npm could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** npm keeps what it installed in node_modules/.package-lock.json; every package for this platform has to stand there. */
function whyInstall() {
  const installedLock = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedLock)) return "node_modules is missing";
  const wanted = packagesOf(join(root, "package-lock.json"));
  const installed = packagesOf(installedLock);
  for (const [path, { version, optional, peer }] of Object.entries(wanted)) {
    if (path === "") continue;
    const found = installed[path];
    if (found === undefined && (optional || peer)) continue;
    if (found === undefined) return `${path} is not installed`;
    if (found.version !== version) return `${path} is ${found.version}, the lock file says ${version}`;
    if (!existsSync(join(root, path, "package.json"))) return `${path} is gone`;
  }
  return undefined;
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages ?? {};
}
