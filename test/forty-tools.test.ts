// What deferring is worth: the first request of a plugin with forty tools, measured on the wire with and without.
import { expect, test } from "vitest";
import { isJsonObject, parseJson } from "../src/base/json.ts";
import type { PluginSource } from "../src/kernel/plugin.ts";
import { definePlugin } from "../src/kernel/plugin.ts";
import { cleanCut, startFaultServer } from "../src/testing/fault-server.ts";
import { testRuntime } from "../src/testing/test-runtime.ts";
import type { Tool } from "../src/tools/tool.ts";

interface Example {
  default: PluginSource;
  fortyTools(options?: { deferred?: boolean }): Tool[];
}

const example = (await import(new URL("../examples/forty-tools/forty-tools.js", import.meta.url).href)) as Example;

const answer = `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

/** The bytes of the first request that a runtime with these plugins sends. */
async function firstRequest(plugins: readonly PluginSource[]): Promise<Buffer> {
  await using server = await startFaultServer([cleanCut(answer)]);
  const settings = { model: "openai:gpt-5", apiBase: server.url, apiKey: "sk-test-1234" };
  await using runtime = await testRuntime({ plugins, settings });
  expect((await runtime.send("hi")).errors).toEqual([]);
  return (await server.request(1)).body;
}

function toolsOf(request: Buffer): string[] {
  const body = parseJson(request.toString());
  const tools = isJsonObject(body) && Array.isArray(body.tools) ? body.tools : [];
  return tools.map((tool) => JSON.stringify(tool));
}

test("the example has forty deferred tools, each with at least 1 KB of schema", () => {
  const tools = example.fortyTools();
  expect(tools).toHaveLength(40);
  expect(tools.filter(({ deferred }) => !deferred)).toEqual([]);
  const sizes = tools.map(({ parameters }) => Buffer.byteLength(JSON.stringify(parameters)));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(1024);
});

test("T5.5 deferring forty tools leaves their names in the first request, a twentieth of what their definitions cost", async () => {
  const atOnce = definePlugin({ name: "at-once", provideTools: () => example.fortyTools({ deferred: false }) });
  const bare = await firstRequest([]);
  const deferred = await firstRequest([example.default]);
  const whole = await firstRequest([atOnce]);
  const cost = { deferred: deferred.length - bare.length, whole: whole.length - bare.length };
  console.log(
    `first request: ${bare.length} bytes without the plugin, ${deferred.length} with forty deferred tools, ` +
      `${whole.length} with the same at once; ${(cost.whole / cost.deferred).toFixed(1)} times as much for the plugin`,
  );
  expect(toolsOf(deferred)).toEqual(toolsOf(bare));
  expect(toolsOf(whole)).toHaveLength(toolsOf(bare).length + 40);
  for (const { alias } of example.fortyTools()) expect(deferred.includes(alias)).toBe(true);
  expect(cost.whole).toBeGreaterThan(40 * 1024);
  expect(cost.whole / cost.deferred).toBeGreaterThan(20);
});
