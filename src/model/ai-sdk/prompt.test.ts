import { describe, expect, test } from "vitest";
import { readAll } from "../../../test/contracts/golden-streams.ts";
import { question } from "../../../test/contracts/model.ts";
import { askPackage, failureOf, type PackageOptions, says, saysOk } from "../../../test/support/asked-package.ts";
import { callParts, finishPart, packageModel, reasoningParts, textParts } from "../../../test/support/package-model.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { startFaultServer } from "../../testing/fault-server.ts";
import type { ModelMessage, ModelRequest } from "../model.ts";

describe("R4.3 models of AI SDK packages: what they are asked", () => {
  const promptOf = async (
    messages: readonly ModelMessage[],
    request: Partial<ModelRequest> = {},
    options?: PackageOptions,
  ) => (await askPackage(saysOk, { messages, system: "", ...request }, options)).sent.prompt;
  const image = { type: "image", media_type: "image/png", data: "aGk=", bytes: 2 } as const;

  test("the call has tools, the limit, headers and settings; what is managed wins", async () => {
    const { sent, headers } = await askPackage(
      saysOk,
      { reasoningEffort: "high" },
      {
        clientArgs: { headers: { "X-Own": "1" } },
        completionArgs: { temperature: 0.5, top_p: 1, stop: "END", safe_prompt: true, maxOutputTokens: 5 },
      },
    );
    expect(sent).toMatchObject({
      modelId: "m",
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 1,
      stopSequences: ["END"],
      toolChoice: { type: "auto" },
      providerOptions: { fake: { safe_prompt: true, reasoningEffort: "high" } },
    });
    expect(sent.tools).toMatchObject([
      { type: "function", name: "add", description: "Adds.", inputSchema: { type: "object" } },
      { type: "function", name: "bash" },
    ]);
    expect(sent.prompt).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "go" }] },
    ]);
    expect(headers).toMatchObject({ authorization: "Bearer sk-fake", "x-own": "1" });
    const newest = await askPackage(saysOk, { reasoningEffort: "high" }, { entry: { options: { version: "v4" } } });
    expect(newest.sent).toMatchObject({ reasoning: "high" });
    expect(newest.sent.providerOptions).toBeUndefined();
  });

  test("reasoning and what the provider sealed go back to the model that made them, in their order, and to no other", async () => {
    const sealed = { fake: { signature: "s1" } };
    const { finish, text, reasoning, calls } = await askPackage(
      says(
        ...reasoningParts("r", "Hm.", sealed),
        ...textParts("1", "Let me ", "look."),
        ...callParts("c1", "bash", '{"command":"ls"}', { fake: { thought: "t1" } }),
        finishPart("tool-calls"),
      ),
    );
    const answer: ModelMessage = {
      role: "assistant",
      content: text,
      reasoning,
      providerData: finish?.providerData ?? null,
      calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args as JsonObject })),
    };
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      answer,
      { role: "tool", callId: "c1", name: "bash", content: "a.txt", isError: false },
      { role: "tool", callId: "c2", name: "bash", content: " ", isError: true },
    ];
    expect(await promptOf(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: sealed },
          { type: "text", text: "Let me look." },
          {
            type: "tool-call",
            toolCallId: "c1",
            toolName: "bash",
            input: { command: "ls" },
            providerOptions: { fake: { thought: "t1" } },
          },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "bash", output: { type: "text", value: "a.txt" } },
          { type: "tool-result", toolCallId: "c2", toolName: "bash", output: { type: "error-text", value: "(empty)" } },
        ],
      },
    ]);
    const elsewhere = await promptOf(messages, {}, { entry: { package: "other-ai-provider" } });
    expect(JSON.stringify(elsewhere)).not.toContain("s1");
    expect(JSON.stringify(elsewhere)).toContain("Let me look.");
  });

  test("images go where every provider takes them: those of results into a message behind all results", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: [{ type: "text", text: "this" }, { ...image, data: undefined, sha256: "x" } as never] },
      { role: "assistant", calls: [1, 2].map((n) => ({ id: `c${n}`, name: "fs_read", arguments: {} })) },
      { role: "tool", callId: "c1", name: "fs_read", content: [image], isError: false },
      { role: "tool", callId: "c2", name: "fs_read", content: "text", isError: false },
      { role: "user", content: "and?" },
    ];
    const prompt = await promptOf(messages, { loadMedia: async () => "c3RvcmVk" });
    expect(prompt).toMatchObject([
      { role: "user", content: [{ type: "text" }, { type: "file", mediaType: "image/png", data: "c3RvcmVk" }] },
      { role: "assistant" },
      {
        role: "tool",
        content: [
          { output: { type: "text", value: "[image: image/png, 2 bytes] (in the message after the results)" } },
          { output: { type: "text", value: "text" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Media of the result of fs_read (c1):" },
          { type: "file", mediaType: "image/png", data: "aGk=" },
          { type: "text", text: "and?" },
        ],
      },
    ]);
    const [first] = (await promptOf(
      [{ role: "user", content: [image] }],
      {},
      { entry: { options: { version: "v4" } } },
    )) as JsonValue[];
    expect(first).toMatchObject({ content: [{ type: "file", data: { type: "data", data: "aGk=" } }] });
  });

  test("an address goes to a provider that fetches it, and is a note for any other", async () => {
    const at = (url: string) => ({ type: "image", media_type: "image/png", url }) as const;
    const content = [
      at("https://pictures.example/a.png"),
      at("https://elsewhere.example/a.png"),
      at("data:image/png;base64,aGk="),
    ];
    expect(await promptOf([{ role: "user", content }])).toMatchObject([
      {
        content: [
          { type: "file", data: "https://pictures.example/a.png" },
          { type: "text", text: "[image: image/png]" },
          { type: "file", mediaType: "image/png", data: "aGk=" },
        ],
      },
    ]);
  });

  test("a medium that the package refuses is a rejected one, so that a note takes its place", async () => {
    const odd = { type: "audio", media_type: "audio/odd", data: "aGk=" } as const;
    const { error } = await askPackage(saysOk, { messages: [{ role: "user", content: [odd] }] });
    expect(failureOf(error)).toBe("rejected-image");
  });

  test("ids that come again in a later answer are told apart, each with its result", async () => {
    const step = (said: string): ModelMessage[] => [
      { role: "assistant", calls: [{ id: "c 1", name: "bash", arguments: {} }] },
      { role: "tool", callId: "c 1", name: "bash", content: said, isError: false },
    ];
    const prompt = (await promptOf([{ role: "user", content: "go" }, ...step("one"), ...step("two")])) as JsonObject[];
    const ids = prompt.slice(1).map(({ content }) => ((content as JsonObject[])[0] as JsonObject).toolCallId);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[0]).not.toBe(ids[2]);
  });
});

describe("R4.3 models of AI SDK packages: what providers insist on", () => {
  const messages: ModelMessage[] = [
    { role: "assistant", calls: [{ id: "call_of_another", name: "bash", arguments: {} }] },
    { role: "tool", callId: "call_of_another", name: "bash", content: "a", isError: false },
  ];

  test("a conversation begins with the user, and Mistral's ids have nine letters", async () => {
    const { sent } = await askPackage(saysOk, { messages, system: "" }, { entry: { options: { name: "mistral" } } });
    const [first, answer, result] = sent.prompt as JsonObject[];
    expect(first).toEqual({ role: "user", content: [{ type: "text", text: "(the conversation goes on)" }] });
    const [call] = (answer?.content ?? []) as JsonObject[];
    expect(call?.toolCallId).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(result?.content).toMatchObject([{ toolCallId: call?.toolCallId }]);
    expect((await askPackage(saysOk, { messages })).sent.prompt).toMatchObject([
      {},
      {},
      { content: [{ toolCallId: "call_of_another" }] },
      {},
    ]);
  });
});

test("R2.4 each request's elements begin the next one's, and a medium is loaded once", async () => {
  const stored = (sha256: string) => ({ type: "image", media_type: "image/png", sha256 }) as const;
  const step = (id: string): ModelMessage[] => [
    { role: "assistant", content: "Look.", calls: [{ id, name: "see", arguments: {} }] },
    { role: "tool", callId: id, name: "see", content: [stored(id)], isError: false },
  ];
  const said = (content: string): ModelMessage => ({ role: "user", content });
  const conversation = [
    said("go"),
    ...step("a"),
    ...step("a"),
    { role: "assistant", content: "Done." } as const,
    said("on"),
  ];
  const loaded: string[] = [];
  const loadMedia: ModelRequest["loadMedia"] = async ({ sha256 = "" }) => {
    loaded.push(sha256);
    return "aGk=";
  };
  const ends = [1, 3, 5, 7];
  await using server = await startFaultServer(ends.map(() => saysOk));
  const model = await packageModel(server.url);
  const texts: string[] = [];
  for (const [index, end] of ends.entries()) {
    const messages = conversation.slice(0, end);
    await readAll(model.stream({ ...question, messages, loadMedia, signal: new AbortController().signal }));
    const { prompt } = JSON.parse((await server.request(index + 1)).body.toString());
    texts.push(JSON.stringify(prompt));
  }
  for (const [index, text] of texts.slice(1).entries())
    expect(text.startsWith((texts[index] ?? "").replace(/[\]}]+$/, ""))).toBe(true);
  expect(loaded).toEqual(["a", "a"]);
});

test("R4.3 Mistral's models have an answer between results and the media behind them", async () => {
  const image = { type: "image", media_type: "image/png", data: "aGk=" } as const;
  const messages: ModelMessage[] = [
    { role: "user", content: "go" },
    { role: "assistant", calls: [{ id: "c", name: "see", arguments: {} }] },
    { role: "tool", callId: "c", name: "see", content: [image], isError: false },
  ];
  const rolesWith = async (modelId: string) => {
    const { sent } = await askPackage(saysOk, { messages, system: "" }, { modelId });
    return (sent.prompt as JsonObject[]).map(({ role }) => role);
  };
  expect(await rolesWith("pixtral-large")).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(await rolesWith("other")).toEqual(["user", "assistant", "tool", "user"]);
});
