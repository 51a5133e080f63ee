import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { manifestText, writeProject } from "../../../test/support/package-project.ts";
import { CancelledError } from "../../base/abort.ts";
import type { MediaPart } from "../../base/content.ts";
import { refusalError } from "../../model/errors.ts";
import type { ModelRequest } from "../../model/model.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { callTool, type ScriptedStep, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bub-scaled-"));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Makes so many bytes of each side, and says in them what was asked. */
const fakeSharp = (bytesOfSide: number) => `module.exports = (bytes, options) => {
  let said = bytes.length + " " + options.limitInputPixels;
  let size;
  const image = {
    rotate: () => image,
    resize: (given) => { size = given; said += " " + given.width + "x" + given.height + " " + given.fit; return image; },
    jpeg: ({ quality }) => { said += " jpeg " + quality; return image; },
    webp: ({ quality }) => { said += " webp " + quality; return image; },
    toBuffer: async () => {
      globalThis.scalings = (globalThis.scalings ?? 0) + 1;
      const data = Buffer.alloc(size.width * ${bytesOfSide}, said + "\\n");
      return { data, info: { width: size.width, height: size.width / 2 } };
    },
  };
  return image;
};`;

function installSharp(text: string): void {
  writeProject(home, {
    sharp: { "package.json": manifestText({ name: "sharp", type: "commonjs" }), "index.js": text },
  });
}

const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(4_000_000)]).toString("base64");
const image = (size: Partial<MediaPart>): MediaPart => ({
  type: "image",
  media_type: "image/png",
  data: Buffer.from("small").toString("base64"),
  width: 10,
  height: 20,
  ...size,
});
const heavy = image({ media_type: "image/jpeg", data: jpeg });
const picture = (...parts: MediaPart[]) =>
  defineTool({ name: "picture", description: "See.", run: () => "", render: () => parts });

const claude = { provider: "anthropic", modelId: "claude-test" };
const partsOf = ({ messages }: ModelRequest, at: number) => {
  const content = messages.at(at)?.content;
  return typeof content === "object" ? content : [];
};
const scalings = () => (globalThis as { scalings?: number }).scalings ?? 0;

test("T3.2 an image over the provider's limits is scaled by sharp, once, and every request has the same one", async () => {
  installSharp(fakeSharp(1));
  const before = scalings();
  const storage = createMemoryStorage();
  const model = scriptedModel([callTool("picture"), say("done"), say("later")], claude);
  const settings = { home };
  await using runtime = await testRuntime({
    model,
    tools: [picture(heavy, image({ height: 9000 }))],
    storage,
    settings,
  });
  expect((await runtime.send("look")).text).toBe("done");
  await runtime.send("again");
  const [first, second] = partsOf(model.requests[1] as ModelRequest, -1) as MediaPart[];
  expect(first).toMatchObject({ type: "image", media_type: "image/jpeg", bytes: 4096, width: 4096, height: 2048 });
  expect(second).toMatchObject({ type: "image", media_type: "image/webp", bytes: 4096 });
  expect(Buffer.from(await storage.media.get(first?.sha256 ?? "")).toString()).toMatch(
    /^4000002 200000000 4096x4096 inside jpeg 85\n/,
  );
  expect(Buffer.from(await storage.media.get(second?.sha256 ?? "")).toString()).toMatch(
    /^5 200000000 4096x4096 inside webp 85\n/,
  );
  const loaded = await model.requests[1]?.loadMedia(first as MediaPart);
  expect(Buffer.from(loaded ?? "", "base64")).toHaveLength(4096);
  const seen = model.requests[1]?.messages ?? [];
  expect(model.requests[2]?.messages.slice(0, seen.length)).toEqual(seen);
  expect(scalings() - before).toBe(2);

  await using restarted = await testRuntime({ model: scriptedModel([say("on")], claude), storage, settings });
  await restarted.send("more");
  expect(scalings() - before, "a new process scales again, to the same bytes").toBe(4);
});

test("T3.2 smaller sides are tried until the bytes are few enough; when none is, a note stands", async () => {
  installSharp(fakeSharp(2_000));
  const model = scriptedModel([callTool("picture"), say("done")], claude);
  await using runtime = await testRuntime({ model, tools: [picture(heavy)], settings: { home } });
  await runtime.send("look");
  expect(partsOf(model.requests[1] as ModelRequest, -1)).toMatchObject([
    { type: "image", width: 1568, bytes: 3_136_000 },
  ]);

  const other = scriptedModel([callTool("picture"), say("done")], claude);
  const none = mkdtempSync(join(home, "none-"));
  writeProject(none, {
    sharp: { "package.json": manifestText({ name: "sharp", type: "commonjs" }), "index.js": fakeSharp(20_000) },
  });
  await using without = await testRuntime({ model: other, tools: [picture(heavy)], settings: { home: none } });
  await without.send("look");
  expect(partsOf(other.requests[1] as ModelRequest, -1)).toEqual([
    {
      type: "text",
      text: "[image: image/jpeg, 10x20, 4000002 bytes] (left out: too large for anthropic: more than 3932160 bytes; it cannot be scaled below that)",
    },
  ]);
});

test.each([
  [
    'throw new Error("no libvips\\nfor this machine");',
    "scaling it failed: Loading the package sharp 1.0.0 failed: no libvips for this machine",
  ],
  ["exports.one = 1;", "scaling it failed: sharp exports no function."],
  ['module.exports = () => { throw new Error("Input buffer is odd"); };', "scaling it failed: Input buffer is odd"],
])("T3.2 a sharp that does not work is told in the note (%s)", async (text, why) => {
  installSharp(text);
  const model = scriptedModel([callTool("picture"), say("done")], claude);
  await using runtime = await testRuntime({ model, tools: [picture(heavy)], settings: { home } });
  expect((await runtime.send("look")).text).toBe("done");
  expect(partsOf(model.requests[1] as ModelRequest, -1)).toMatchObject([
    { text: expect.stringContaining(`(left out: too large for anthropic: more than 3932160 bytes; ${why})`) },
  ]);
});

test("T3.2 a scaled image that the model refuses becomes a note, as any other", async () => {
  installSharp(fakeSharp(1));
  const endpoint = { provider: "anthropic", address: "here", keyVariable: undefined, key: undefined };
  const refuse: ScriptedStep = () =>
    // biome-ignore lint/correctness/useYield: it fails before it says anything
    (async function* () {
      throw refusalError({ status: 400, message: "Could not process image" }, endpoint, { sentMedia: true });
    })();
  const model = scriptedModel([callTool("picture"), refuse, say("without it"), say("later")], claude);
  await using runtime = await testRuntime({ model, tools: [picture(heavy)], settings: { home } });
  expect((await runtime.send("look")).text).toBe("without it");
  await runtime.send("again");
  expect(partsOf(model.requests[2] as ModelRequest, -1)).toMatchObject([
    { text: "[image: image/jpeg, 10x20, 4000002 bytes] (left out: the model refused it)" },
  ]);
  expect(model.requests).toHaveLength(4);
});

test("R1.7 cancelling ends the wait for an image that is being scaled", async () => {
  installSharp(`module.exports = () => {
    const toBuffer = () => { globalThis.onScaling(); return new Promise(() => {}); };
    const image = { rotate: () => image, resize: () => image, jpeg: () => image, toBuffer };
    return image;
  };`);
  const stop = new AbortController();
  Object.assign(globalThis, { onScaling: () => stop.abort(new CancelledError()) });
  const model = scriptedModel([callTool("picture"), say("never")], claude);
  await using runtime = await testRuntime({ model, tools: [picture(heavy)], settings: { home } });
  expect(await runtime.send("look", { signal: stop.signal })).toMatchObject({ status: "cancelled", errors: [] });
});
