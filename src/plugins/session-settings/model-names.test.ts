import { expect, test } from "vitest";
import { definePlugin } from "../../kernel/plugin.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { ModelNames } from "./model-names.ts";

test("R5.2 completion of models: the providers are asked once, and nobody waits longer than wanted", async () => {
  let asked = 0;
  let answer: (ids: string[]) => void = () => undefined;
  const ids = new Promise<string[]>((resolve) => {
    answer = resolve;
  });
  const list = () => {
    asked += 1;
    return ids;
  };
  const plugin = definePlugin({
    name: "slow",
    provideModels: () => [{ provider: "slow", create: () => undefined, list }],
  });
  await using runtime = await testRuntime({ plugins: [plugin], settings: { model: "slow:own" } });
  const names = new ModelNames();
  const typing = new AbortController();
  const first = names.list(runtime.runtime, typing.signal);
  typing.abort();
  expect(await first).toEqual([]);
  const second = names.list(runtime.runtime, new AbortController().signal);
  answer(Array.from({ length: 80 }, (_, index) => `m${index}`));
  expect(await second).toHaveLength(81);
  expect(await second).toContain("slow:m79");
  expect(asked).toBe(1);
});
