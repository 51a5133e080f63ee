import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { testRuntime } from "../../testing/index.ts";
import { Chat } from "./chat.ts";
import type { ChatView } from "./view.ts";

/** A view of piped lines that shows nothing. */
function viewOf(lines: AsyncIterable<string>): ChatView {
  const nothing = () => undefined;
  return new Proxy({ lines, isInteractive: false, isDrawn: false } as ChatView, {
    get: (view, key) => (key in view ? view[key as keyof ChatView] : nothing),
  });
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const usedBytes = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

test("R5.2 lines that were read are kept nowhere, however many are piped in", async () => {
  await using world = await testRuntime();
  const { runtime } = world;
  const bytes: number[] = [];
  async function* lines() {
    for (let index = 0; index <= 4_000; index++) {
      if (index % 2_000 === 0) bytes.push(usedBytes());
      // Blank lines ask nobody.
      yield " ".repeat(10_000) + "\t".repeat(index % 7);
    }
  }
  const { signal } = new AbortController();
  const envelope = { channel: "cli", chatId: "local" };
  const chat = new Chat({ runtime, view: viewOf(lines()), envelope, newSessionId: () => "new", signal });
  expect(await chat.talk(undefined)).toBe(true);
  const [, middle = 0, end = 0] = bytes;
  expect(end - middle).toBeLessThan(5_000_000);
});

test("R5.2 whoever leaves waits for no further line, and none that is left is heard", async () => {
  await using world = await testRuntime();
  const { runtime } = world;
  const stop = new AbortController();
  const heard: string[] = [];
  async function* lines() {
    for (const line of [" ", "  ", "   "]) {
      heard.push(line);
      if (heard.length === 2) stop.abort();
      yield line;
    }
    await new Promise(() => undefined);
  }
  const envelope = { channel: "cli", chatId: "local" };
  const view = viewOf(lines());
  const chat = new Chat({ runtime, view, envelope, newSessionId: () => "new", signal: stop.signal });
  expect(await chat.talk(undefined)).toBe(true);
  expect(heard).toEqual([" ", "  "]);
});
