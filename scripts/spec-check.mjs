// Every number of the specification has a test that cites it, or a line in docs/spec-open.md.
//
//   node scripts/spec-check.mjs           fails on a number with neither, and on a line with an unknown number
//   node scripts/spec-check.mjs --list    prints each number, how many tests cite it, and their titles
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const openPage = "docs/spec-open.md";

const numbers = [...numbersOf("docs/spec/tools.md", "T"), ...numbersOf("docs/spec/runtime.md", "R")];
const titles = new Map(numbers.map((number) => [number, []]));
const open = new Map(numbers.map((number) => [number, []]));
const problems = [];

collectTitles();
collectOpenLines();
for (const number of numbers) {
  if (titles.get(number).length === 0 && open.get(number).length === 0) {
    problems.push(`${number} has neither a test nor a line in ${openPage}`);
  }
}
if (process.argv.includes("--list")) printList();
report();

/** The numbered lines under `## T0 …` or `## R1 …` headings: `0.1 text` is T0.1. */
function numbersOf(page, letter) {
  return [...readFileSync(join(root, page), "utf8").matchAll(/^(\d+\.\d+) /gm)].map(([, number]) => letter + number);
}

function collectTitles() {
  for (const file of testFiles()) {
    for (const { text, skipped } of titlesIn(file)) {
      for (const number of citedIn(text)) {
        if (!titles.has(number)) problems.push(`${file} cites ${number}, which does not exist: "${text}"`);
        else if (!skipped) titles.get(number).push(`${file}: ${text}`);
      }
    }
  }
}

function testFiles() {
  return ["src", "test"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((name) => relative(root, join(root, folder, name))),
    )
    .filter((file) => (file.startsWith("src") ? file.endsWith(".test.ts") : /\.ts$/.test(file)))
    .filter((file) => !file.startsWith(join("test", "fixtures")))
    .sort();
}

/** Every string in a test file; a number in one of them is a citation, whichever way the title is put together. */
function titlesIn(file) {
  const source = readFileSync(join(root, file), "utf8");
  if (!/[TR]\d+\.\d+/.test(source)) return [];
  const found = [];
  walk(parseAst(source, { lang: "ts" }), false);
  return found;

  function walk(node, skipped) {
    if (Array.isArray(node)) {
      for (const child of node) walk(child, skipped);
      return;
    }
    if (node === null || typeof node !== "object") return;
    if (node.type === "Literal" && typeof node.value === "string") found.push({ text: node.value, skipped });
    if (node.type === "TemplateLiteral") {
      found.push({ text: node.quasis.map(({ value }) => value.cooked ?? value.raw).join("…"), skipped });
    }
    const skips = node.type === "CallExpression" && ["skip", "todo"].includes(node.callee?.property?.name);
    for (const child of Object.values(node)) walk(child, skipped || skips);
  }
}

/** `T2.2 T2.3`, and the range `T2.2–T2.4` or `T2.2–2.4`. */
function citedIn(text) {
  const cited = new Set();
  for (const match of text.matchAll(/\b([TR])(\d+)\.(\d+)(?:\s*[–-]\s*([TR]?)(\d+)\.(\d+))?/g)) {
    const [, letter, group, first, lastLetter, lastGroup, last] = match;
    const isRange = last !== undefined && (lastLetter || letter) === letter && lastGroup === group;
    for (let line = Number(first); line <= Number(isRange ? last : first); line += 1) {
      cited.add(`${letter}${group}.${line}`);
    }
  }
  return cited;
}

function collectOpenLines() {
  const lines = readFileSync(join(root, openPage), "utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    if (!/^[TR]\d/.test(line)) continue;
    const where = `${openPage}:${index + 1}`;
    const match = /^([TR]\d+\.\d+) (\S.*?) → (?:issue \d+|later, \S.*)$/.exec(line);
    if (!match) problems.push(`${where} is not "<number> <clause> → issue <n>" or "… → later, <reason>": ${line}`);
    else if (!open.has(match[1])) problems.push(`${where} names ${match[1]}, which does not exist`);
    else open.get(match[1]).push(line);
  }
}

function printList() {
  for (const number of numbers) {
    const tests = titles.get(number);
    const waiting = open.get(number);
    console.log(`${number.padEnd(6)} ${String(tests.length).padStart(3)} ${tests.length === 1 ? "test" : "tests"}`);
    for (const title of tests) console.log(`         ${title}`);
    for (const line of waiting) console.log(`         open: ${line}`);
  }
}

function report() {
  const tested = numbers.filter((number) => titles.get(number).length > 0).length;
  const waiting = numbers.filter((number) => open.get(number).length > 0).length;
  console.log(`spec-check: ${numbers.length} numbers, ${tested} with tests, ${waiting} with open lines`);
  for (const problem of problems) console.error(`spec-check: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
