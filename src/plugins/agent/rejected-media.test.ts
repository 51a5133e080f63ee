import { expect, test } from "vitest";
import type { ContentPart, MediaPart } from "../../base/content.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { refusalError } from "../../model/errors.ts";
import type { ModelMessage, ModelRequest } from "../../model/model.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { callTool, fail, type ScriptedStep, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const imageOf = (seed: string, size: Partial<MediaPart> = {}): MediaPart => ({
  type: "image",
  media_type: "image/png",
  data: Buffer.from(seed.repeat(3)).toString("base64"),
  width: 10,
  height: 20,
  ...size,
});
const picture = (seed: string, size?: Partial<MediaPart>) =>
  defineTool({ name: `picture.${seed}`, description: "See.", run: () => "", render: () => [imageOf(seed, size)] });

const imagesOf = ({ messages }: Pick<ModelRequest, "messages">): readonly ContentPart[] =>
  messages.flatMap(({ content }) =>
    typeof content === "object" ? content.filter(({ type }) => type === "image") : [],
  );
const wordsOf = ({ messages }: Pick<ModelRequest, "messages">) =>
  messages.map(({ content }: ModelMessage) =>
    typeof content === "object"
      ? content.map((part) => (part.type === "text" ? part.text : part.type)).join(" ")
      : content,
  );

const endpoint = { provider: "scripted", address: "here", keyVariable: undefined, key: undefined };
/** Refuses each request with an image in it, as providers do. */
const blind = (answer: ScriptedStep): ScriptedStep[] => {
  const refuse: ScriptedStep = (request) => {
    if (imagesOf(request).length === 0) return typeof answer === "function" ? answer(request) : answer;
    // biome-ignore lint/correctness/useYield: it fails before it says anything
    return (async function* () {
      throw refusalError({ status: 400, message: "Could not process image" }, endpoint, { sentMedia: true });
    })();
  };
  return [refuse];
};

test("R4.3 a provider that rejects an image gets the turn again with a note, and the conversation goes on", async () => {
  const model = scriptedModel([callTool("picture_a"), ...blind(say("never")), say("I cannot see it"), say("later")]);
  await using runtime = await testRuntime({ model, tools: [picture("a")] });
  const turn = await runtime.send("look");
  expect(turn).toMatchObject({ status: "ok", text: "I cannot see it", errors: [] });
  expect(turn.notices).toEqual(["scripted:test refused the image in this conversation. Going on with a note instead."]);
  const note = "[image: image/png, 10x20, 3 bytes] (left out: the model refused it)";
  expect(wordsOf(model.requests[2] as ModelRequest).at(-1)).toBe(note);
  await runtime.send("and?");
  // Nothing is sent, and refused, once more; what was sent stays as it was.
  expect(model.requests).toHaveLength(4);
  expect(model.requests[3]?.messages.slice(0, 3)).toEqual(model.requests[2]?.messages);
});

test("R4.3 a rejected image stays away after a restart and over a hand-off, and another model gets it", async () => {
  const storage = createMemoryStorage();
  const tools = [picture("a")];
  const overflow = fail(400, { code: "context_length_exceeded" });
  const first = scriptedModel([
    say("hello"),
    callTool("picture_a"),
    ...blind(say("never")),
    overflow,
    say("summary"),
    ...blind(say("seen the note")),
  ]);
  await using before = await testRuntime({ model: first, tools, storage });
  await before.send("hi");
  expect(await before.send("look")).toMatchObject({ status: "ok", text: "seen the note" });
  const second = scriptedModel(blind(say("still")));
  await using after = await testRuntime({ model: second, tools, storage });
  expect((await after.send("again")).text).toBe("still");
  expect(wordsOf(second.requests[0] as ModelRequest).join()).toContain("the model refused it");
  const other = scriptedModel([say("a picture")], { provider: "other" });
  await using seeing = await testRuntime({ model: other, tools, storage });
  await seeing.send("and you?");
  expect(imagesOf(other.requests[0] as ModelRequest)).toHaveLength(1);
});

test("R4.3 images that went through before stay; only new ones are suspected", async () => {
  const model = scriptedModel([
    callTool("picture_a"),
    callTool("picture_b"),
    ...blind(say("never")),
    (request) => say(`${imagesOf(request).length} left`),
  ]);
  await using runtime = await testRuntime({ model, tools: [picture("a"), picture("b")] });
  expect((await runtime.send("look")).text).toBe("1 left");
});

test("R4.3 when older images are refused too, notes stand for all of them before another model is asked", async () => {
  const model = scriptedModel([
    callTool("picture_a"),
    callTool("picture_b"),
    ...blind(say("")),
    ...blind(say("")),
    say("ok"),
  ]);
  const plugin = definePlugin({ name: "two", provideModels: () => [{ provider: "second", create: () => model }] });
  await using runtime = await testRuntime({
    model,
    tools: [picture("a"), picture("b")],
    plugins: [plugin],
    settings: { fallbackModels: ["second:test"] },
  });
  const turn = await runtime.send("look");
  expect(turn.text).toBe("ok");
  expect(turn.notices).toHaveLength(2);
  expect(imagesOf(model.requests[4] as ModelRequest)).toHaveLength(0);
});

test("R4.3 a model whose provider says that it takes no images gets a note at once", async () => {
  const model = Object.assign(scriptedModel([callTool("picture_a"), ...blind(say("noted"))]), {
    limits: async () => ({ media: [] }),
  });
  await using runtime = await testRuntime({ model, tools: [picture("a")] });
  expect(await runtime.send("look")).toMatchObject({ text: "noted", notices: [] });
  expect(wordsOf(model.requests[1] as ModelRequest).at(-1)).toContain("(left out: the model takes no image)");
});

test("T3.2 an image over the provider's byte or pixel limit is a note, decided from its stored size, the same in every request", async () => {
  const storage = createMemoryStorage();
  const tools = [
    picture("tall", { width: 2984, height: 8340 }),
    picture("heavy", { data: Buffer.alloc(4_000_000).toString("base64") }),
    picture("fine", { width: 8000, height: 8000 }),
  ];
  const model = scriptedModel(
    [callTool("picture_tall"), callTool("picture_heavy"), callTool("picture_fine"), say("done"), say("later")],
    { provider: "anthropic", modelId: "claude-test" },
  );
  await using runtime = await testRuntime({ model, tools, storage });
  await runtime.send("look");
  await runtime.send("again");
  expect(wordsOf(model.requests[3] as ModelRequest).filter((text) => text !== undefined)).toEqual([
    expect.stringContaining("look"),
    "[image: image/png, 2984x8340, 12 bytes] (left out: too large for anthropic: more than 8000 pixels on a side; bub install sharp lets such images be scaled)",
    "[image: image/png, 10x20, 4000000 bytes] (left out: too large for anthropic: more than 3932160 bytes; bub install sharp lets such images be scaled)",
    "image",
  ]);
  for (const [index, { messages }] of model.requests.entries()) {
    const next = model.requests[index + 1]?.messages ?? messages;
    expect(next.slice(0, messages.length)).toEqual(messages);
    // Within a run the same objects, so that what a wire format made of them is used again.
    if (index < 3) expect(messages.every((message, at) => next[at] === message)).toBe(true);
  }
});

test("R4.3 a scripted refusal that speaks of images is one when images were sent, and only then", async () => {
  const refusal = fail(400, { message: "This model does not support images." });
  const model = scriptedModel([callTool("picture_a"), refusal, say("on")]);
  await using runtime = await testRuntime({ model, tools: [picture("a")] });
  expect((await runtime.send("look")).text).toBe("on");
  await using without = await testRuntime({ model: scriptedModel([refusal]) });
  expect((await without.send("look")).status).toBe("error");
});
