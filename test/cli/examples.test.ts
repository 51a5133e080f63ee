import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { createCliWorld } from "../support/run-cli.ts";
import { root } from "../support/source-files.ts";

test("the README's program is examples/hello/hello.ts, word for word", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${readFileSync(join(root, "examples/hello/hello.ts"), "utf8")}\`\`\``);
});

test("R5.6 the README's program runs against the built package", async () => {
  using world = createCliWorld();
  cpSync(join(root, "examples/hello"), world.workspace, { recursive: true });
  mkdirSync(join(world.workspace, "node_modules"));
  symlinkSync(root, join(world.workspace, "node_modules", "bub"));
  const source = readFileSync(join(root, "examples/hello/hello.ts"), "utf8");
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "node20" });
  world.file("workspace/hello.mjs", code);
  const child = spawn(process.execPath, ["hello.mjs"], {
    cwd: world.workspace,
    env: { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home },
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const [exitCode] = await once(child, "close");
  expect(output).toBe("Hello! I am the model of this script.");
  expect(exitCode).toBe(0);
});
