// Runs the rows of bench/*.bench.mjs and prints them as a table. Every number is a ratio of medians that were measured
// in turns, in one run: machines are too unsteady for absolute goals.
//
//   npm run bench                          all rows, in a few minutes
//   npm run bench -- --full                with the counts and sizes that the goals name
//   npm run bench -- --row loop            one row; can be given again
//   npm run bench -- --node <path>         measured on that Node; given again, a column each
//   npm run bench -- --full --markdown     also writes the table into docs/benchmarks.md
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cliFile } from "./world.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const page = resolve(here, "../docs/benchmarks.md");
const { values: options } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    row: { type: "string", multiple: true, default: [] },
    node: { type: "string", multiple: true, default: [process.execPath] },
    markdown: { type: "boolean", default: false },
    /** Measures in this process and prints a line for each row. */
    json: { type: "boolean", default: false },
  },
});

if (!existsSync(cliFile)) fail("there is no dist/cli.js; npm run build makes it");
const rows = await chosenRows();
if (options.json) await measureHere();
else {
  const columns = [];
  for (const node of options.node) columns.push(await measureOn(node));
  const table = renderTable(columns);
  console.log(table);
  if (options.markdown) writeTable(table);
}

async function chosenRows() {
  const files = readdirSync(here).filter((name) => name.endsWith(".bench.mjs"));
  const modules = await Promise.all(files.map((name) => import(join(here, name))));
  // In the order of the goals.
  const all = modules.sort((one, other) => one.place - other.place).flatMap((module) => module.rows);
  const unknown = options.row.find((name) => !all.some((row) => row.name === name));
  if (unknown !== undefined) fail(`there is no row ${unknown}; there are ${all.map(({ name }) => name).join(", ")}`);
  return options.row.length === 0 ? all : all.filter(({ name }) => options.row.includes(name));
}

async function measureHere() {
  console.log(JSON.stringify({ version: process.version }));
  for (const { name, goal, measure } of rows) {
    const { value, text } = await measure({ full: options.full });
    console.log(JSON.stringify({ name, text, isMet: goal.isMet(value) }));
  }
}

/** Each Node measures with a runner of its own version. */
async function measureOn(node) {
  const words = ["--json", ...(options.full ? ["--full"] : []), ...rows.flatMap(({ name }) => ["--row", name])];
  const runner = spawn(node, [fileURLToPath(import.meta.url), ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const column = { version: "", results: new Map() };
  const ended = once(runner, "close");
  for await (const line of createInterface({ input: runner.stdout })) {
    const { version = column.version, name, ...result } = JSON.parse(line);
    column.version = version;
    if (name === undefined) continue;
    column.results.set(name, result);
    console.error(`${version} ${name}: ${result.text}${result.isMet ? "" : ", missed"}`);
  }
  const [code] = await ended;
  if (code !== 0) fail(`the rows on ${node} ended with ${code}`);
  return column;
}

function renderTable(columns) {
  const head = ["work", "goal", ...columns.map(({ version }) => `Node ${version.slice(1)}`)];
  const lines = rows.map(({ name, work, goal }) => {
    const cells = columns.map(({ results }) => {
      const { text, isMet } = results.get(name);
      return isMet ? text : `**missed:** ${text}`;
    });
    return [work, goal.text, ...cells];
  });
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`);
  return [`${describeMachine()}${options.full ? "" : ", quick form with smaller counts"}.`, "", ...table].join("\n");
}

/** Its class and no more: what the numbers depend on. */
function describeMachine() {
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `Measured on ${process.platform} ${process.arch}, ${cpus().length} cores, ${memory} GB of memory`;
}

function writeTable(table) {
  const [start, end] = ["<!-- table -->", "<!-- end of table -->"];
  const text = readFileSync(page, "utf8");
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) fail(`${page} has no place for the table`);
  writeFileSync(page, `${text.slice(0, from + start.length)}\n${table}\n${text.slice(to)}`);
}

function fail(why) {
  console.error(`bench: ${why}`);
  process.exit(1);
}
