import { expect, test } from "vitest";
import type { MediaPart } from "../../base/content.ts";
import { createMemoryEnvironment } from "../../environment/memory.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { storeMedia, storePart } from "./media.ts";

/** A whole PNG of 1 × 1, made large by a text chunk that decoders skip. */
function pngOf(bytes: number): Buffer {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
    "base64",
  );
  const chunk = Buffer.alloc(bytes - png.length, "x");
  chunk.writeUInt32BE(chunk.length - 12, 0);
  chunk.write("tEXt", 4, "latin1");
  return Buffer.concat([png.subarray(0, png.length - 12), chunk, png.subarray(png.length - 12)]);
}

const imageOf = (result: unknown): MediaPart =>
  (result as { content: { type: string }[] }).content.find(({ type }) => type === "image") as MediaPart;

test("R3.9 an image above 8 KiB that a tool gives stands in the media store, the entry names it, the model gets its bytes", async () => {
  const bytes = pngOf(9_000);
  const environment = createMemoryEnvironment({ files: { "a.png": bytes } });
  const model = scriptedModel([callTool("fs_read", { path: "a.png" }), say("seen")]);
  await using runtime = await testRuntime({ model, environment });
  expect((await runtime.send("look")).text).toBe("seen");
  const entry = (await runtime.entries()).find(({ kind }) => kind === "tool_result");
  const [result] = (entry?.payload.results ?? []) as unknown[];
  const image = imageOf(result);
  expect(image).toEqual({
    type: "image",
    media_type: "image/png",
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    bytes: 9_000,
    width: 1,
    height: 1,
  });
  const request = model.requests[1];
  const message = request?.messages.at(-1);
  expect(message?.role).toBe("tool");
  const part = imageOf(message);
  expect(await request?.loadMedia(part)).toBe(bytes.toString("base64"));
});

test("R3.9 up to 8 KiB media stay in their entry", async () => {
  const media = { put: () => Promise.reject(new Error("not here")), get: () => Promise.reject(new Error("not here")) };
  const part: MediaPart = { type: "image", media_type: "image/png", data: Buffer.alloc(8 * 1024).toString("base64") };
  expect(await storePart(part, media)).toEqual({ ...part, bytes: 8 * 1024 });
});

test("R3.9 media of a person's message are written before the entry", async () => {
  const kept: Uint8Array[] = [];
  const media = {
    put: async (bytes: Uint8Array) => {
      kept.push(bytes);
      return "hash";
    },
    get: () => Promise.reject(new Error("not asked")),
  };
  const data = Buffer.alloc(10_000, 7).toString("base64");
  const content = [
    { type: "text", text: "look" },
    { type: "image", media_type: "image/png", data },
  ];
  const draft = { kind: "message", payload: { role: "user", content } } as const;
  expect((await storeMedia(draft, media)).payload.content).toEqual([
    { type: "text", text: "look" },
    { type: "image", media_type: "image/png", sha256: "hash", bytes: 10_000 },
  ]);
  expect(kept.map(({ length }) => length)).toEqual([10_000]);
});
