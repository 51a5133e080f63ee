// Runs the rows of bench/*.bench.mjs and prints them as a table. Every number is a ratio of medians that were measured
// in turns, in one run: machines are too unsteady for absolute goals.
//
//   npm run bench               all rows
//   npm run bench -- start      the rows of bench/start.bench.mjs
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);

if (!existsSync(resolve(here, "../dist/cli.js"))) {
  console.error("bench: there is no dist/cli.js; npm run build makes it");
  process.exit(1);
}
const names = readdirSync(here)
  .filter((name) => name.endsWith(".bench.mjs"))
  .filter((name) => wanted.length === 0 || wanted.includes(name.replace(".bench.mjs", "")));

console.log("| work | measured | goal | |\n|---|---|---|---|");
for (const name of names) {
  const { rows } = await import(join(here, name));
  for (const row of rows) {
    const { text, value } = await row.measure();
    console.log(`| ${row.work} | ${text} | ${row.goalText} | ${value <= row.goal ? "met" : "missed"} |`);
  }
}
