// examples/replacing-plugin, as a person meets it: a plugin that replaces a builtin tool, adds one, and has settings.
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CliWorld, createCliWorld } from "../support/run-cli.ts";
import { root } from "../support/source-files.ts";

interface ExampleWorld extends CliWorld {
  readonly plugin: string;
}

/** A world with the example, the built package beside it, and settings that name `site`. */
function exampleWorld(site = "http://reader.invalid"): ExampleWorld {
  const world = createCliWorld();
  const folder = join(world.workspace, "..", "example");
  cpSync(join(root, "examples/replacing-plugin"), folder, { recursive: true });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "bub"));
  const config = readFileSync(join(folder, "config.yml"), "utf8");
  world.file("home/config.yml", config.replace("https://reader.example", site));
  return Object.assign(world, { plugin: join(folder, "replacing-plugin.js") });
}

/** Answers each request that knows the token with what it asked for. */
async function startReader() {
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    response.statusCode = headers.authorization === "Bearer what-the-reader-knows-you-by" ? 200 : 401;
    response.end(url.startsWith("/search") ? "one\ntwo\nthree\nfour" : url);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { site, [Symbol.dispose]: () => void server.close() };
}

test("R1.4 a plugin's web.fetch takes the place of the builtin one, for the model and as a command, and its settings count", async () => {
  using reader = await startReader();
  using world = exampleWorld(reader.site);
  const command = ["--plugin", world.plugin, "run"];
  const page = await world.run([...command, ",web.fetch https://example.com/a"]);
  expect(page).toEqual({
    code: 0,
    stdout: "/read?url=https%3A%2F%2Fexample.com%2Fa\n",
    stderr: "",
  });
  const found = await world.run([...command, ",reader.search words='two words'"]);
  expect(found).toEqual({ code: 0, stdout: "one\ntwo\nthree\n", stderr: "" });
  const model = world.script({ calls: [{ name: "web_fetch", arguments: { url: "x" } }] }, "read");
  expect((await world.run([...command, "go", "--model", model])).stdout).toBe("read\n");
  const results = world.entries().filter(({ kind }) => kind === "tool_result");
  expect(JSON.stringify(results)).toContain("/read?url=x");
});

test("T10.5 ,help lists the replaced and the added tool under the plugin that they come from", async () => {
  using world = exampleWorld();
  const { stdout } = await world.run(["--plugin", world.plugin, "run", ",help"]);
  const groups = new Map(stdout.split("\n\n").map((group) => [group.split("\n")[0], group.split("\n").slice(1)]));
  expect(groups.get("[reader]")).toEqual([
    expect.stringMatching(/^,reader\.search words/),
    expect.stringMatching(/^,web\.fetch url/),
  ]);
  expect(groups.has("[web]")).toBe(false);
});

test("T5.5 ,tool.describe tells the parameters of the tool that took the place", async () => {
  using world = exampleWorld();
  const line = `,tool.describe names='["web.fetch", "reader_search"]'`;
  const { stdout } = await world.run(["--plugin", world.plugin, "run", line]);
  expect(stdout).toContain("through the company's reader");
  expect(stdout).toContain("what to look for");
  expect(stdout).not.toContain("No search, no browser");
});

test("T0.4 bub hooks shows which plugin each tool comes from, and whose it replaced", async () => {
  using world = exampleWorld();
  const { stdout } = await world.run(["hooks", "--plugin", world.plugin]);
  expect(stdout).toMatch(/^ {2}web\.fetch +auto +web, replaced by reader$/m);
  expect(stdout).toMatch(/^ {2}web\.fetch +auto +reader$/m);
  expect(stdout).toMatch(/^ {2}reader\.search +auto, deferred +reader$/m);
});

test("T0.4 of two plugins with one alias the later one wins, whichever name it gave its tool", async () => {
  using world = exampleWorld();
  const later = world.file(
    "example/later.js",
    `import { definePlugin, defineTool } from "bub";
     const tool = defineTool({ name: "web_fetch", description: "", run: () => "the later one" });
     export default definePlugin({ name: "later", provideTools: () => [tool] });`,
  );
  const both = ["--plugin", world.plugin, "--plugin", later];
  const { stdout } = await world.run(["hooks", "--json", ...both]);
  const { tools } = JSON.parse(stdout) as { tools: { name: string; alias: string; replaced_by?: string }[] };
  expect(tools.filter(({ alias }) => alias === "web_fetch")).toMatchObject([
    { name: "web.fetch", plugin: "web", replaced_by: "later" },
    { name: "web.fetch", plugin: "reader", replaced_by: "later" },
    { name: "web_fetch", plugin: "later" },
  ]);
  expect((await world.run(["run", ",web_fetch", ...both])).stdout).toBe("the later one\n");
});

test("R5.5 without its settings the example is skipped with one sentence, and the builtin tool is there", async () => {
  using world = exampleWorld();
  world.file("home/config.yml", "plugin_settings:\n  reader: { site: https://reader.example }\n");
  const { code, stdout, stderr } = await world.run(["hooks", "--plugin", world.plugin]);
  expect(code).toBe(0);
  expect(stderr).toBe("bub: The plugin reader is skipped: plugin_settings.reader.token in config.yml is required.\n");
  expect(stdout).toMatch(/^ {2}web\.fetch +auto +web$/m);
});
