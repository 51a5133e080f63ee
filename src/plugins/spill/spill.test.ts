import fc from "fast-check";
import { expect, test } from "vitest";
import { BubError } from "../../base/errors.ts";
import { sidecarIdOf } from "../../base/ids.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { ModelRequest } from "../../model/model.ts";
import { eventData, eventDraft } from "../../tape/entry.ts";
import { Tape } from "../../tape/tape.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { type TestRuntime, type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { chunkBytes, splitText } from "./spill-store.ts";

const image = { type: "image", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
const giving = (text: string, name = "give") => defineTool({ name, description: "Give it.", run: () => text });
const long = Array.from({ length: 9_000 }, (_, index) => `${index + 1}\n`).join("");

async function spillOf(text: string, options: TestRuntimeOptions = {}) {
  const model = scriptedModel([callTool("give"), say("ok")]);
  const runtime = await testRuntime({ model, tools: [giving(text)], ...options });
  const turn = await runtime.send("go");
  const shown = String(turn.toolResults[0]?.text);
  return { runtime, shown, handle: /handle: ([0-9a-f]{32})/.exec(shown)?.[1] ?? "", model };
}

const read = async (runtime: TestRuntime, args: string) => {
  const turn = await runtime.send(`,spill.read ${args}`);
  expect(turn.status).toBe("ok");
  return turn.text;
};

test("T9.1 a large result moves to the sidecar; the model gets size, handle, the read call and a preview", async () => {
  const { runtime, shown, handle, model } = await spillOf(long);
  await using _ = runtime;
  const lines = shown.split("\n");
  expect(lines[0]).toBe(`[tool output spilled: 43,893 bytes in 3 chunks; handle: ${handle}]`);
  expect(lines[1]).toBe(`[read with: spill_read(handle='${handle}', cursor=0, count=1, from_end=false)]`);
  const preview = shown.slice(shown.indexOf("]\n1\n") + 2);
  expect(preview).toBe(`${long.slice(0, 300)}\n...[43,293 chars omitted]...\n${long.slice(-300)}`);
  expect(model.requests[1]?.messages.at(-1)?.content).toBe(shown);
  const event = (await runtime.entries()).find((entry) => eventData(entry, "spill.write") !== undefined);
  expect(event?.payload.data).toMatchObject({ status: "ok", handle, bytes: 43_893, chunks: 3, tool: "give" });
  expect(event?.meta.context).toBe(false);
});

test("T9.1 the threshold is in tokens of four characters; 0 spills nothing, and what was spilled stays readable", async () => {
  for (const [text, spilled] of [
    ["x".repeat(400), false],
    ["x".repeat(401), true],
    ["😀".repeat(400), false],
    ["😀".repeat(401), true],
  ] as const) {
    const { runtime, shown } = await spillOf(text, { settings: { spillThreshold: 100 } });
    await using _ = runtime;
    expect(shown.startsWith("[tool output spilled")).toBe(spilled);
  }
  const { runtime, handle } = await spillOf(long);
  await using _ = runtime;
  await using later = await testRuntime({
    model: scriptedModel([]),
    storage: runtime.storage,
    settings: { spillThreshold: 0 },
  });
  expect(await read(later, handle)).toContain("chunks: 0-0");
  const off = await spillOf(long, { settings: { spillThreshold: 0 } });
  await using __ = off.runtime;
  expect(off.shown).toBe(long);
});

test("T9.1 errors spill too; nothing spills where spill.read is not among the tools, and never for spill.read itself", async () => {
  const failing = defineTool({
    name: "give",
    description: "Fail at length.",
    run: () => {
      throw new BubError("tool", "no", { details: { output: long } });
    },
  });
  const { runtime, shown } = await spillOf("", { tools: [failing] });
  await using _ = runtime;
  expect(shown).toMatch(/^\[tool output spilled/);
  const model = scriptedModel([
    callTool("give"),
    say("ok"),
    callTool("spill_read", { handle: "x", cursor: 0 }),
    say("ok"),
  ]);
  await using narrow = await testRuntime({ model, tools: [giving(long)] });
  const turn = await narrow.send("go", { allowedTools: ["give"] });
  expect(turn.toolResults[0]?.text).toBe(long);
});

test("T9.1 only text counts and spills; media stay in their place", async () => {
  const mixed = defineTool({
    name: "give",
    description: "Both.",
    run: () => 1,
    render: () => [{ type: "text", text: long }, image],
  });
  const { runtime, model } = await spillOf("", { tools: [mixed] });
  await using _ = runtime;
  const content = model.requests[1]?.messages.at(-1)?.content as { type: string; text?: string }[];
  expect(content.map(({ type }) => type)).toEqual(["text", "image"]);
  expect(content[0]?.text).toMatch(/^\[tool output spilled: 43,893 bytes/);
});

test("T9.2 property: chunks have at most 16,384 bytes, split no character, and are the whole text", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "é", "磁", "😀"), { maxLength: 5 }),
      fc.integer({ min: 0, max: 9_000 }),
      (unit, times) => {
        const text = `${unit.join("")}${"x".repeat(times % 4)}`.repeat(times);
        const chunks = splitText(text);
        expect(chunks.join("")).toBe(text);
        for (const chunk of chunks) expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(chunkBytes);
      },
    ),
    { numRuns: 50 },
  );
});

test("T9.3 spill.read pages from the start and from the end, in natural order, and says where it goes on", async () => {
  const { runtime, handle } = await spillOf(long);
  await using _ = runtime;
  const chunks = splitText(long);
  const head = "[spilled tool result: 43893 bytes, 3 chunks]";
  expect(await read(runtime, handle)).toBe(
    `${head}\nchunks: 0-0\nnext_cursor: 1\ncomplete: false\ncontent:\n${chunks[0]}`,
  );
  expect(await read(runtime, `${handle} cursor=1 count=9`)).toBe(
    `${head}\nchunks: 1-2\nnext_cursor: 3\ncomplete: true\ncontent:\n${chunks[1]}${chunks[2]}`,
  );
  expect(await read(runtime, `${handle} count=2 from_end=true`)).toBe(
    `${head}\nchunks: 1-2\nnext_cursor: 2\ncomplete: false\ncontent:\n${chunks[1]}${chunks[2]}`,
  );
  expect(await read(runtime, `${handle} cursor=2 count=2 from_end=true`)).toBe(
    `${head}\nchunks: 0-0\nnext_cursor: 3\ncomplete: true\ncontent:\n${chunks[0]}`,
  );
});

test("T9.3 a count above 4 is read as 4", async () => {
  const { runtime, handle } = await spillOf("x".repeat(chunkBytes * 6));
  await using _ = runtime;
  expect(await read(runtime, `${handle} count=100`)).toContain("chunks: 0-3\nnext_cursor: 4\ncomplete: false");
});

test("T9.3 bad bounds, unknown handles and incomplete spills are friendly text, not failures", async () => {
  const { runtime, handle } = await spillOf(long);
  await using _ = runtime;
  expect(await read(runtime, `${handle} cursor=-1`)).toContain("cursor must be a whole number");
  expect(await read(runtime, `${handle} count=0`)).toContain("count must be a whole number");
  expect(await read(runtime, `${handle} cursor=3`)).toBe(
    "there is no chunk 3: the result has 3 chunks, counted from 0",
  );
  expect(await read(runtime, "abc")).toBe("no spilled result: abc");
});

test("T9.3 a spill that a crash cut short is incomplete", async () => {
  const model = scriptedModel([say("hi")]);
  const cut = definePlugin({
    name: "cut",
    async saveState(turn) {
      const tape = await turn.sidecar("spill");
      await tape.append([
        { kind: "event", payload: { name: "spill.chunk", data: { handle: "f".repeat(32), index: 0, text: "half" } } },
      ]);
    },
  });
  await using runtime = await testRuntime({ model, plugins: [cut] });
  await runtime.send("hi");
  expect(await read(runtime, "f".repeat(32))).toBe(
    `the spilled result ${"f".repeat(32)} is incomplete: it was never written to its end`,
  );
});

test("T9.4 where it cannot be stored, the model gets a notice and the preview, and the turn goes on", async () => {
  const failing = definePlugin({ name: "failing", provideTapeSidecar: () => undefined });
  const { runtime, shown } = await spillOf(long, {
    plugins: [failing],
    storage: undefined,
    tools: [
      defineTool({
        name: "give",
        description: "Give it, and break the sidecar.",
        run: (_args, { turn }) => {
          Object.assign(turn, { sidecar: () => Promise.reject(new BubError("config", "no space left")) });
          return long;
        },
      }),
    ],
  });
  await using _ = runtime;
  expect(shown).toBe(
    `[tool output truncated: 43,893 bytes; it could not be stored]\n${long.slice(0, 300)}\n...[43,293 chars omitted]...\n${long.slice(-300)}`,
  );
  expect((await runtime.entries()).some(({ kind, payload }) => kind === "message" && payload.content === "ok")).toBe(
    true,
  );
});

test("T9.4 the sidecar's entries never enter the conversation", async () => {
  const { runtime, model } = await spillOf(long);
  await using _ = runtime;
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("spill.chunk");
  expect((await runtime.entries()).length).toBeLessThan(15);
});

test("R2.7 T9.1 the same large result is the same: it has one handle, is stored once, and counts as a loop", async () => {
  const model = scriptedModel(Array.from({ length: 9 }, () => callTool("give")));
  await using runtime = await testRuntime({ model, tools: [giving(long)] });
  const turn = await runtime.send("go");
  expect(turn.errors.at(-1)).toContain("gave the same result 9 times in a row");
  expect(new Set(turn.toolResults.slice(0, 7).map(({ text }) => text)).size).toBe(1);
  const manifests: unknown[] = [];
  const id = sidecarIdOf(runtime.runtime.tapeIdOf("cli:test"), "spill");
  await using log = await runtime.storage.tapes.open(id);
  for await (const entry of log.forward()) if (eventData(entry, "spill.manifest")) manifests.push(entry);
  expect(manifests).toHaveLength(1);
});

test("T9.1 the same large result of two calls of one step is stored once", async () => {
  const model = scriptedModel([calls(callTool("give"), callTool("give")), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [giving(long)] });
  await runtime.send("go");
  const id = sidecarIdOf(runtime.runtime.tapeIdOf("cli:test"), "spill");
  await using log = await runtime.storage.tapes.open(id);
  const names: unknown[] = [];
  for await (const { payload } of log.forward()) names.push(payload.name);
  expect(names.filter((name) => name === "spill.manifest")).toHaveLength(1);
});

test("T9.1 what spill.read gives is never moved away itself, however long", async () => {
  const handleIn = (request: ModelRequest) => /handle: ([0-9a-f]{32})/.exec(JSON.stringify(request.messages))?.[1];
  const model = scriptedModel([
    callTool("give"),
    (request) => callTool("spill_read", { handle: handleIn(request) ?? "", count: 4 }),
    say("ok"),
  ]);
  await using runtime = await testRuntime({ model, tools: [giving("x".repeat(chunkBytes * 6))] });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.map(({ text }) => text.slice(0, 21))).toEqual(["[tool output spilled:", "[spilled tool result:"]);
  expect(toolResults[1]?.text.length).toBeGreaterThan(chunkBytes * 4);
});

test("T9.3 what was written whole before stays readable when a later try is cut short", async () => {
  const { runtime, handle } = await spillOf(long);
  await using _ = runtime;
  const id = sidecarIdOf(runtime.runtime.tapeIdOf("cli:test"), "spill");
  await using tape = await Tape.open(await runtime.storage.tapes.open(id));
  await tape.append([eventDraft("spill.chunk", { handle, index: 0, text: "half" })]);
  expect(await read(runtime, handle)).toContain("chunks: 0-0");
});
