// What the first request of a conversation costs with every builtin tool, as the provider gets it.
import { expect, test } from "vitest";
import { isJsonObject, parseJson } from "../src/base/json.ts";
import { cleanCut, startFaultServer } from "../src/testing/fault-server.ts";
import { testRuntime } from "../src/testing/test-runtime.ts";

const answer = `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

test("the first request with all builtin tools has at most 14 KB", async () => {
  await using server = await startFaultServer([cleanCut(answer)]);
  const settings = { model: "openai:gpt-5", apiBase: server.url, apiKey: "sk-test-1234" };
  await using runtime = await testRuntime({ settings });
  expect((await runtime.send("hi")).errors).toEqual([]);
  const { body } = await server.request(1);
  const request = parseJson(body.toString());
  const tools = isJsonObject(request) && Array.isArray(request.tools) ? request.tools : [];
  const builtin = runtime.runtime.tools.filter(({ tool }) => tool.exposure === "auto" || tool.exposure === "direct");
  const offered = builtin.filter(({ tool }) => tool.name !== "run_code");
  expect(tools).toHaveLength(offered.length);
  const sizes = tools.map((tool) => {
    const definition = isJsonObject(tool) && isJsonObject(tool.function) ? tool.function : {};
    return `${definition.name} ${JSON.stringify(tool).length}`;
  });
  expect(body.length, sizes.join(", ")).toBeLessThanOrEqual(14_000);
  console.log(`first request: ${body.length} bytes; ${sizes.join(", ")}`);
});
