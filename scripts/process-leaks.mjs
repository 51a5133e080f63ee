// Shows that the suite leaves no process behind: every shell carries BUB_SHELL_ID in its environment, every command line
// runs dist/cli.js or bub.
//
//   node scripts/process-leaks.mjs before FILE    records what runs now
//   node scripts/process-leaks.mjs after FILE     fails when something new of ours still runs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const graceMs = 5_000;
const [, , moment, file] = process.argv;

if (process.platform !== "linux") {
  console.log("process-leaks: skipped, there is no /proc");
} else if (moment === "before" && file) {
  writeFileSync(file, JSON.stringify(ourProcesses().map(identity)));
} else if (moment === "after" && file) {
  await compare(new Set(JSON.parse(readFileSync(file, "utf8"))));
} else {
  console.error("usage: process-leaks.mjs before|after FILE");
  process.exitCode = 2;
}

async function compare(before) {
  const deadline = Date.now() + graceMs;
  let left = newSince(before);
  while (left.length > 0 && Date.now() < deadline) {
    await delay(200);
    left = newSince(before);
  }
  console.log(`process-leaks: ${left.length} left`);
  for (const { pid, parent, command, shell } of left) {
    console.error(`process-leaks: pid ${pid} (parent ${parent}) ${shell ?? ""} ${command.join(" ").slice(0, 200)}`);
  }
  if (left.length > 0) process.exitCode = 1;
}

function newSince(before) {
  return ourProcesses().filter((found) => !before.has(identity(found)) && !belongsToAnotherSuite(found));
}

function ourProcesses() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(readProcess)
    .filter((found) => found !== undefined && (found.shell !== undefined || isCommandLine(found.command)));
}

/** undefined when the process is gone, or a zombie: it runs no more. */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    const shell = environment.find((entry) => entry.startsWith("BUB_SHELL_ID="));
    return { pid: Number(pid), parent: Number(parent), startTime: rest[17], command, shell };
  } catch {
    return undefined;
  }
}

function isCommandLine(command) {
  return command.slice(0, 3).some((word) => word.endsWith("dist/cli.js") || basename(word) === "bub");
}

/** On a shared machine others may run the suite too; a test runner that is still alive looks after its own. */
function belongsToAnotherSuite({ parent }) {
  for (let pid = parent; pid > 1; ) {
    const ancestor = readProcess(pid);
    if (ancestor === undefined) return false;
    if (ancestor.command.some((word) => word.includes("vitest"))) return true;
    pid = ancestor.parent;
  }
  return false;
}

function identity({ pid, startTime }) {
  return `${pid}@${startTime}`;
}
