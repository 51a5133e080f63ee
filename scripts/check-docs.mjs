// Checks the pages for readers: links and anchors resolve, nothing outside the repository is named, AGENTS.md stays short.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const problems = [];

const pages = findPages();
for (const page of pages) checkPage(page);
checkLength("AGENTS.md", 80);

console.log(`check-docs: ${pages.length} pages`);
for (const problem of problems) console.error(`check-docs: ${problem}`);
if (problems.length > 0) process.exitCode = 1;

function findPages() {
  const atRoot = ["README.md", "AGENTS.md", "CONTRIBUTING.md"].filter((page) => existsSync(join(root, page)));
  const inFolders = ["docs", "changelog", "examples", "bench", "test/fixtures"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith(".md") && !name.split(sep).includes("node_modules"));
  return [...atRoot, ...inFolders].sort();
}

function checkPage(page) {
  const text = readFileSync(join(root, page), "utf8");
  const prose = withoutCode(text);
  for (const { target, line } of linksIn(prose)) checkLink(page, line, target);
  for (const [index, line] of text.split("\n").entries()) checkPaths(page, index + 1, line);
}

function checkLink(page, line, target) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return;
  const [path, anchor] = decodeURIComponent(target).split("#");
  const file = path === "" ? join(root, page) : resolve(root, dirname(page), path);
  const where = `${page}:${line}`;
  if (path.startsWith("/") || relative(root, file).startsWith("..")) {
    problems.push(`${where} links outside the repository: ${target}`);
  } else if (!existsSync(file)) {
    problems.push(`${where} links to ${target}, which does not exist`);
  } else if (anchor && extname(file) === ".md" && !anchorsOf(file).has(anchor)) {
    problems.push(`${where} links to ${target}, which has no such heading`);
  } else if (anchor && statSync(file).isDirectory()) {
    problems.push(`${where} links to an anchor of a folder: ${target}`);
  }
}

/** A path of somebody's machine, or one that climbs to a place beside the repository, means nothing to a reader. */
function checkPaths(page, line, text) {
  const machine = /(?<![\w.~$>}/])\/(?:home|Users|root|work|mnt|srv)\/[\w.-]+/.exec(text);
  if (machine) problems.push(`${page}:${line} names a machine's path: ${machine[0]}`);
  for (const [climbing] of text.matchAll(/(?<![\w./"'])(?:\.\.\/)+[\w.-][\w./-]*/g)) {
    const path = climbing.replace(/[.,;:]+$/, "");
    const fromPage = resolve(root, dirname(page), path);
    const inside = !relative(root, fromPage).startsWith("..") && existsSync(fromPage);
    if (!inside) problems.push(`${page}:${line} names ${climbing}, which is not in the repository`);
  }
}

function checkLength(page, limit) {
  if (!existsSync(join(root, page))) return problems.push(`${page} is missing`);
  const lines = readFileSync(join(root, page), "utf8").trimEnd().split("\n").length;
  if (lines >= limit) problems.push(`${page} has ${lines} lines, the limit is ${limit - 1}`);
}

/** Blanks fenced blocks and code spans, keeping the line numbers. */
function withoutCode(text) {
  const blank = (match) => match.replace(/[^\n]/g, " ");
  return text.replace(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, blank).replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, blank);
}

function linksIn(prose) {
  const found = [];
  const add = (target, index) => found.push({ target, line: prose.slice(0, index).split("\n").length });
  for (const match of prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)) add(match[1], match.index);
  for (const match of prose.matchAll(/^\s*\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)/gm)) add(match[1], match.index);
  for (const match of prose.matchAll(/<(?:a|img)\b[^>]*\b(?:href|src)="([^"]+)"/g)) add(match[1], match.index);
  return found;
}

/** Heading anchors as GitHub makes them, and explicit `<a id="…">`. */
function anchorsOf(file) {
  const text = readFileSync(file, "utf8");
  const headings = text.replace(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, "").matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm);
  const anchors = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((match) => match[1]));
  const seen = new Map();
  for (const [, heading] of headings) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}
