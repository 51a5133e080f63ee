// One conversation that moves between providers, each on its own wire format, with tools and reasoning, in real processes.
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, parseJson } from "../../src/base/json.ts";
import { events, type SeenRequest, startFaultServer } from "../../src/testing/fault-server.ts";
import type { TestedFormat } from "../contracts/golden-streams.ts";
import { type CliWorld, createCliWorld } from "../support/run-cli.ts";
import { validators } from "../support/wire-validators.ts";

type Format = TestedFormat["format"];

/** Ids differ from answer to answer, as everywhere. */
let answers = 0;

/** Thinks and calls bash, or says that it is done when it has the result. */
const streams: Record<Format, (isDone: boolean) => string> = {
  anthropic: (isDone) =>
    named(
      {
        type: "message_start",
        message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 5, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "SECRET-anthropic" } },
      { type: "content_block_stop", index: 0 },
      ...(isDone
        ? [
            { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
            { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "done by anthropic" } },
          ]
        : [
            {
              type: "content_block_start",
              index: 1,
              content_block: { type: "tool_use", id: `toolu_${++answers}`, name: "bash", input: {} },
            },
            {
              type: "content_block_delta",
              index: 1,
              delta: { type: "input_json_delta", partial_json: '{"command":"echo by anthropic"}' },
            },
          ]),
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: isDone ? "end_turn" : "tool_use" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ),
  responses(isDone) {
    const reasoning = { id: `rs_${++answers}`, type: "reasoning", encrypted_content: "SECRET-responses", summary: [] };
    const content = [{ type: "output_text", annotations: [], text: "done by responses" }];
    const item = isDone
      ? { id: "msg_1", type: "message", status: "completed", role: "assistant", phase: "final_answer", content }
      : {
          id: "fc_1",
          type: "function_call",
          status: "completed",
          call_id: `call_${answers}`,
          name: "bash",
          arguments: '{"command":"echo by responses"}',
        };
    return named(
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: reasoning },
      { type: "response.output_item.done", output_index: 0, item: reasoning },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { ...item, ...(isDone ? { content: [] } : { arguments: "" }) },
      },
      ...(isDone
        ? [
            {
              type: "response.output_text.delta",
              item_id: "msg_1",
              output_index: 1,
              content_index: 0,
              delta: "done by responses",
            },
          ]
        : []),
      { type: "response.output_item.done", output_index: 1, item },
      {
        type: "response.completed",
        response: {
          id: "resp_1",
          status: "completed",
          output: [reasoning, item],
          usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14 },
        },
      },
    );
  },
  "chat-completions"(isDone) {
    const details = [{ type: "reasoning.text", text: "Hm.", signature: "SECRET-chat-completions", index: 0 }];
    const call = {
      index: 0,
      id: `call_${++answers}`,
      type: "function",
      function: { name: "bash", arguments: '{"command":"echo by chat"}' },
    };
    const said = isDone ? { content: "done by chat" } : { content: null, tool_calls: [call] };
    return plain(
      {
        id: "gen-1",
        choices: [
          { index: 0, delta: { role: "assistant", content: "", reasoning: "Hm.", reasoning_details: details } },
        ],
      },
      { id: "gen-1", choices: [{ index: 0, delta: said }] },
      { id: "gen-1", choices: [{ index: 0, delta: {}, finish_reason: isDone ? "stop" : "tool_calls" }] },
      { id: "gen-1", choices: [], usage: { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 } },
    );
  },
  google(isDone) {
    const said = isDone
      ? { text: "done by google", thoughtSignature: "SECRET-google" }
      : { functionCall: { name: "bash", args: { command: "echo by google" } }, thoughtSignature: "SECRET-google" };
    return plain(
      { candidates: [{ content: { role: "model", parts: [{ text: "Hm.", thought: true }] }, index: 0 }] },
      { candidates: [{ content: { role: "model", parts: [said] }, finishReason: "STOP", index: 0 }] },
    );
  },
};

function named(...list: readonly JsonObject[]): string {
  return list.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function plain(...list: readonly JsonObject[]): string {
  return list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

function formatOf({ path }: SeenRequest): Format {
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/responses")) return "responses";
  return path.endsWith("/chat/completions") ? "chat-completions" : "google";
}

function bodyOf({ body }: SeenRequest): JsonObject {
  const value = parseJson(body.toString("utf8"));
  return isJsonObject(value) ? value : {};
}

/** All four on one port, told apart by their paths. */
async function startProviders() {
  const server = await startFaultServer([
    (response, request) => {
      const { messages, input, contents } = bodyOf(request);
      const list = [messages, input, contents].find(Array.isArray) ?? [];
      const isDone = /tool_result|"role":"tool"|function_call_output|functionResponse/.test(
        JSON.stringify(list.at(-1)),
      );
      return events(streams[formatOf(request)](isDone))(response, request);
    },
  ]);
  const bases = ["ANTHROPIC", "OPENAI", "OPENROUTER", "GOOGLE"].flatMap((name) => [
    [`BUB_${name}_API_BASE`, server.url],
    [`BUB_${name}_API_KEY`, "sk-test"],
  ]);
  const wrong = () =>
    server.requests.flatMap((request, index) => {
      const format = formatOf(request);
      const text = request.body.toString("utf8");
      const foreign = [...text.matchAll(/SECRET-([a-z-]+)/g)].filter(([, maker]) => maker !== format);
      const problem = validators[format](bodyOf(request));
      return problem === undefined && foreign.length === 0
        ? []
        : [[index, format, problem, foreign.map(([secret]) => secret)]];
    });
  return Object.assign(server, { env: Object.fromEntries(bases) as Record<string, string>, wrong });
}

const models = {
  anthropic: "anthropic:claude-sonnet-4-5",
  responses: "openai:gpt-5",
  "chat-completions": "openrouter:deepseek/deepseek-r1",
  google: "google:gemini-3-pro",
} as const;
const asResponses = { BUB_CLIENT_ARGS: '{"api_format":"responses"}' };

async function ask(world: CliWorld, format: Format, env: Record<string, string>) {
  const more = format === "responses" ? asResponses : {};
  return world.run(["run", `to ${format}`, "--model", models[format]], {
    env: { ...env, ...more, BUB_REASONING_EFFORT: "high" },
  });
}

test("R4.3 a session moves between providers by --model, with calls and reasoning: each gets what it takes, and its own secrets only", async () => {
  using world = createCliWorld();
  await using server = await startProviders();
  const way: readonly Format[] = [
    "anthropic",
    "responses",
    "chat-completions",
    "google",
    "responses",
    "anthropic",
    "chat-completions",
  ];
  for (const format of way) {
    const said = format === "chat-completions" ? "chat" : format;
    expect(await ask(world, format, server.env)).toEqual({ code: 0, stdout: `done by ${said}\n`, stderr: "" });
  }
  expect(server.wrong()).toEqual([]);
  expect(server.requests).toHaveLength(2 * way.length);
  // Everybody sees what was said and done before, whoever said it.
  const last = server.requests.at(-1)?.body.toString("utf8") ?? "";
  for (const word of ["by anthropic", "by responses", "by chat", "by google"]) expect(last).toContain(word);
  expect((await world.run(["tape", "check"])).code).toBe(0);
});

test("R4.3 in chat ,model moves the conversation, and the next bub run goes on with that model", async () => {
  using world = createCliWorld();
  await using server = await startProviders();
  const env = { ...server.env, BUB_MODEL: models.anthropic };
  const lines = ["one", `,model ${models["chat-completions"]}`, "two", `,model ${models.google}`, "three"];
  const chat = await world.run(["chat"], { env, input: `${lines.join("\n")}\n` });
  expect(chat).toMatchObject({ code: 0, stderr: "" });
  expect(chat.stdout).toMatch(/done by anthropic.*done by chat.*done by google/s);
  expect(await world.run(["run", "four"], { env })).toMatchObject({ code: 0, stdout: "done by google\n" });
  expect(server.requests.map(formatOf)).toEqual([
    ...["anthropic", "anthropic", "chat-completions", "chat-completions", "google", "google", "google", "google"],
  ]);
  expect(server.wrong()).toEqual([]);
});
