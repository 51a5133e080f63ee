// What servers of the Chat Completions format take of a request:
// https://platform.openai.com/docs/api-reference/chat/create, https://openrouter.ai/docs/features/multimodal/videos and
// …/audio, https://api-docs.deepseek.com/guides/thinking_mode
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import {
  firstIn,
  isBlank,
  isCount,
  isFunctionName,
  isMediaAddress,
  isObjectList,
  isObjectSchema,
  isObjectText,
  validatorOf,
} from "./wire-fields.ts";

const known = [
  ...["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "max_tokens"],
  ...["max_completion_tokens", "reasoning_effort", "reasoning", "temperature", "top_p", "stop", "seed", "user"],
  ...["cache_control", "thinking", "provider"],
];

export const chatProblem = validatorOf(known, [
  settingsProblem,
  (body) => toolsProblem(body.tools),
  (body) => messagesProblem(body.messages),
]);

function settingsProblem(body: JsonObject): string | undefined {
  const { model, stream, stream_options: options, max_tokens: most, max_completion_tokens: newer } = body;
  if (isBlank(model) || stream !== true) return "model or stream is wrong";
  if (!isJsonObject(options) || options.include_usage !== true) return "usage is not asked for";
  if (most !== undefined && newer !== undefined) return "two limits of tokens";
  return isCount(most ?? newer) ? undefined : "no limit of tokens";
}

function toolsProblem(tools: JsonValue | undefined): string | undefined {
  if (tools === undefined) return undefined;
  if (!isObjectList(tools) || tools.length === 0) return "tools is no list of objects";
  return firstIn(tools, ({ type, function: made }) => {
    if (type !== "function" || !isJsonObject(made)) return "a tool is no function";
    const isNamed = isFunctionName(made.name) && typeof made.description === "string";
    return isNamed && isObjectSchema(made.parameters) ? undefined : `${String(made.name)} is no tool`;
  });
}

/** Each call has one result, and they stand right behind it. */
function messagesProblem(messages: JsonValue | undefined): string | undefined {
  if (!isObjectList(messages) || messages.length === 0) return "there are no messages";
  let waiting: readonly string[] = [];
  const problem = firstIn(messages, (message, index) => {
    const { role, tool_calls: calls, tool_call_id: id } = message;
    if (role === "tool") {
      if (!waiting.includes(String(id))) return `is the result of ${String(id)}, which no call waits for`;
      waiting = waiting.filter((other) => other !== id);
      // Media have no place in here.
      return typeof message.content === "string" ? undefined : "is a result of something else than text";
    }
    if (waiting.length > 0) return `stands before the results of ${waiting}`;
    if (role === "system") return index === 0 && !isBlank(message.content) ? undefined : "is a system message";
    if (role === "user") return userProblem(message.content);
    if (role !== "assistant") return `is the ${String(role)}'s`;
    waiting = isObjectList(calls) ? calls.map((call) => String(call.id)) : [];
    return assistantProblem(message);
  });
  if (problem !== undefined) return `message ${problem}`;
  return waiting.length > 0 ? `no results for ${waiting.join()}` : undefined;
}

function userProblem(content: JsonValue | undefined): string | undefined {
  if (typeof content === "string") return undefined;
  if (!isObjectList(content) || content.length === 0) return "is empty";
  return firstIn(content, ({ type, text, image_url: image, input_audio: audio, video_url: video }) => {
    if (type === "text") return typeof text === "string" ? undefined : "a text is none";
    if (type === "image_url") return isJsonObject(image) && isMediaAddress(image.url) ? undefined : "an image is none";
    if (type === "video_url") return isJsonObject(video) && isMediaAddress(video.url) ? undefined : "a video is none";
    const isAudio = type === "input_audio" && isJsonObject(audio) && !isBlank(audio.data);
    return isAudio && /^(wav|mp3|aiff|aac|ogg|flac|m4a)$/.test(String(audio.format)) ? undefined : `a ${String(type)}`;
  });
}

function assistantProblem({ content, tool_calls: calls }: JsonObject): string | undefined {
  if (calls === undefined) return typeof content === "string" ? undefined : "says and calls nothing";
  if (!isObjectList(calls) || calls.length === 0) return "has an empty list of calls";
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return "has two calls with one id";
  if (content !== null && typeof content !== "string") return "says something else than text";
  return firstIn(calls, ({ id, type, function: called }) => {
    const isCall = type === "function" && isJsonObject(called) && !isBlank(id);
    return isCall && isFunctionName(called.name) && isObjectText(called.arguments)
      ? undefined
      : `${String(id)} is no call`;
  });
}
