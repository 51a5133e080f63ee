// Pictures and sounds that code attaches to its result.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeWorld, noPython } from "../../../test/support/code-mode-world.ts";
import { scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

const world = codeWorld();

test.skipIf(noPython)(
  "T8.6 media are attached in order: a path, an object, a URL; each says so (needs python3)",
  async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
    writeFileSync(join(world.folder, "a.png"), Buffer.from(png, "base64"));
    const { result } = await world.run(`
import base64
print(await tools.attach_image(image="a.png"))
await tools.attach_image(image=republic.Image(data=base64.b64decode("${png}"), media_type="image/png"))
await tools.attach_audio(audio=republic.Audio(url="https://example.com/a.mp3"))
`);
    expect(result.value).toMatchObject([
      { type: "text", text: "attached [image: image/png, 1x1, 67 bytes]\n" },
      { type: "image", media_type: "image/png", data: png, width: 1 },
      { type: "image", media_type: "image/png", data: png },
      { type: "audio", media_type: "audio/mpeg", url: "https://example.com/a.mp3" },
    ]);
  },
);

test.skipIf(noPython)(
  "T8.6 another kind, a missing file and an unknown type are clear errors (needs python3)",
  async () => {
    writeFileSync(join(world.folder, "a.txt"), "no picture");
    const code = `
for source in ["none.png", "a.txt", "https://example.com/a.mp3", 7]:
    try:
        await tools.attach_image(image=source)
    except BubError as error:
        print(error.message)
`;
    const lines = (await world.run(code)).result.text.trim().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain("none.png");
    expect(lines[1]).toContain("a.txt is no PNG, JPEG, GIF or WebP");
    expect(lines[2]).toContain("https://example.com/a.mp3 is audio/mpeg");
  },
);

test("T8.6 outside of code: run_code and attach_* say where they belong", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([]) });
  expect((await runtime.send(",run_code code='print(1)'")).errors[0]).toContain(
    "Code mode is not enabled for this run.",
  );
  const attach = runtime.runtime.tools.find(({ tool }) => tool.name === "attach_image")?.tool;
  await expect(attach?.run({ image: "a.png" }, { callId: "call_1" } as never)).rejects.toThrow(
    "tools.attach_image can only be called from run_code.",
  );
});
