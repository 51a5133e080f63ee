import { describe, expect, test } from "vitest";
import { type Endpoint, readHttpRefusal, readRefusal, readRetryAfter, refusalError } from "./errors.ts";
import type { ModelErrorFacts } from "./model.ts";

const endpoint: Endpoint = {
  provider: "openrouter",
  address: "https://openrouter.ai/api/v1/chat/completions",
  keyVariable: "OPENROUTER_API_KEY",
  key: "sk-or-secret",
};

interface Given {
  status?: number;
  code?: string;
  type?: string;
  message?: string;
}

const judge = (refusal: Given, sentMedia = false): ModelErrorFacts =>
  refusalError(refusal, endpoint, { sentMedia }).facts;

describe("R2.6 failures are judged by status and code first", () => {
  const cases: [Given, string, boolean][] = [
    [{ status: 429, message: "Request too large: too many tokens, maximum context length" }, "rate-limited", true],
    [{ status: 429, code: "context_length_exceeded" }, "rate-limited", true],
    [{ status: 413, code: "rate_limit_exceeded", message: "tokens per minute" }, "rate-limited", true],
    [{ status: 429, code: "insufficient_quota" }, "rate-limited", false],
    [{ status: 400, code: "context_length_exceeded" }, "overflow", false],
    [
      { status: 400, type: "exceed_context_size_error", message: "the request exceeds the available context size" },
      "overflow",
      false,
    ],
    [
      { status: 400, message: "This model's maximum context length is 8192 tokens. However, you requested 9000" },
      "overflow",
      false,
    ],
    [{ status: 413 }, "overflow", false],
    [{ status: 500, message: "maximum context length" }, "server", true],
    [{ status: 400, message: "temperature must be below 2" }, "rejected", false],
    [{ status: 401 }, "unauthorized", false],
    [{ status: 403 }, "unauthorized", false],
    [{ status: 402 }, "rejected", false],
    [{ status: 404 }, "rejected", false],
    [{ status: 408 }, "server", true],
    [{ status: 409 }, "server", true],
    [{ status: 503 }, "server", true],
    [{ status: 529 }, "server", true],
    [{ message: "The server had an error", type: "server_error" }, "server", true],
    [{ message: "no", type: "invalid_request_error" }, "rejected", false],
    [{ status: 529, type: "overloaded_error", message: "Overloaded" }, "server", true],
    [{ type: "overloaded_error", message: "Overloaded" }, "server", true],
    [{ type: "api_error" }, "server", true],
    [{ type: "request_too_large" }, "overflow", false],
    [{ type: "permission_error" }, "unauthorized", false],
    [{ type: "billing_error" }, "rejected", false],
    [{ status: 400, message: "prompt is too long: 208310 tokens > 200000 maximum" }, "overflow", false],
    [
      { status: 400, message: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000" },
      "overflow",
      false,
    ],
    [
      {
        status: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      },
      "overflow",
      false,
    ],
    [{ code: "context_length_exceeded", message: "Your input exceeds the context window" }, "overflow", false],
    [{ code: "insufficient_quota" }, "rate-limited", false],
    [{ code: "invalid_prompt" }, "rejected", false],
    [{ status: 400, type: "API_KEY_INVALID", message: "API key not valid." }, "unauthorized", false],
    [{ type: "RESOURCE_EXHAUSTED" }, "rate-limited", true],
    [{ status: 503, type: "UNAVAILABLE", message: "The model is overloaded." }, "server", true],
  ];
  test.each(cases)("R2.5 %o is %s, retryable: %s", (refusal, failure, retryable) => {
    expect(judge(refusal)).toMatchObject({ failure, retryable });
  });
});

test.each([
  { status: 400, message: "this model does not support image input" },
  { status: 400, message: "unknown variant `image_url`, expected `text`" },
  { status: 404, message: "No endpoints found that support image input" },
  { status: 500, message: "image input is not supported - hint: you may need to provide the mmproj" },
  { status: 400, message: "m is not a multimodal model" },
  { status: 413, message: "image too large" },
  { status: 400, message: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum" },
  { status: 400, type: "INVALID_ARGUMENT", message: "Unable to process input image." },
  { status: 400, type: "INVALID_ARGUMENT", message: "Unsupported MIME type: audio/x-foo" },
  { code: "invalid_image_format", message: "The image data you provided does not represent a valid image." },
  { code: "unsupported_image_media_type", message: "The file you provided is not supported." },
])("R4.3 $status $code '$message' refuses the media, if media were sent", (refusal) => {
  expect(judge(refusal, true)).toMatchObject({ failure: "rejected-image", retryable: false });
  expect(judge(refusal, false).failure).not.toBe("rejected-image");
});

describe("sentences", () => {
  const sentence = (refusal: Given, at: Partial<Endpoint> = {}): string =>
    refusalError(refusal, { ...endpoint, ...at }, { sentMedia: false }).message;

  test("R4.1 a refused key names its variable, a missing one says what to set", () => {
    expect(sentence({ status: 401, message: "No auth." })).toBe(
      "openrouter refused the key from OPENROUTER_API_KEY (401): No auth: check it, or run bub onboard.",
    );
    expect(sentence({ status: 401 }, { key: undefined, keyVariable: undefined })).toBe(
      "openrouter at https://openrouter.ai/api/v1/chat/completions wants an API key (401): set BUB_API_KEY or run bub onboard.",
    );
  });

  test("the provider's words stand on one line, cut when long, without the key", () => {
    expect(sentence({ status: 500, message: "first\n  second with sk-or-secret." })).toBe(
      "openrouter failed to answer (500): first second with ***.",
    );
    expect(sentence({ status: 400, message: "x".repeat(2000) }).length).toBeLessThan(600);
  });

  test("an unknown model names the address", () => {
    expect(sentence({ status: 404, message: "no such model" })).toMatch(
      /^openrouter at https:\S+ knows no such model or address \(404\)/,
    );
  });
});

describe("the shapes of errors", () => {
  test.each([
    [{ error: { message: "m", type: "t", code: "c" } }, { message: "m", type: "t", code: "c" }],
    [{ error: { message: "m", code: 502 } }, { message: "m", status: 502 }],
    [{ error: { message: "m", code: null, type: null } }, { message: "m" }],
    [
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      { message: "Overloaded", type: "overloaded_error" },
    ],
    [
      {
        error: {
          code: 429,
          message: "quota",
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.1s" }],
        },
      },
      { message: "quota", status: 429, type: "RESOURCE_EXHAUSTED", retryAfterMs: 34_100 },
    ],
    [
      { error: { code: 400, message: "m", status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] } },
      { message: "m", status: 400, type: "API_KEY_INVALID" },
    ],
    [{ error: "plain" }, { message: "plain" }],
    [
      { object: "error", message: "vllm", type: "BadRequestError", code: 400 },
      { message: "vllm", type: "BadRequestError", status: 400 },
    ],
    [{ detail: "Not Found" }, { message: "Not Found" }],
    [
      [{ error: { message: "in a list", code: 400, status: "INVALID_ARGUMENT" } }],
      { message: "in a list", status: 400, type: "INVALID_ARGUMENT" },
    ],
    [
      {
        error: {
          code: 400,
          message: "Provider returned error",
          metadata: { raw: '{"error":{"message":"prompt is too long"}}' },
        },
      },
      { message: "Provider returned error: prompt is too long", status: 400 },
    ],
    [{ error: { message: "m", metadata: { raw: "upstream says no" } } }, { message: "m: upstream says no" }],
  ])("%j", (value, refusal) => {
    expect(readRefusal(value)).toEqual(refusal);
  });

  test("no error in what holds none", () => {
    for (const value of [{}, { choices: [] }, null, 3, "x", []]) expect(readRefusal(value)).toBeUndefined();
  });

  test("of an HTTP answer: its status wins, an error page says nothing, text does", () => {
    expect(readHttpRefusal(503, "<html>oh</html>", {})).toEqual({ status: 503, message: "" });
    expect(readHttpRefusal(500, "boom", {})).toEqual({ status: 500, message: "boom" });
    expect(readHttpRefusal(400, '{"error":{"message":"m","code":499}}', {})).toEqual({ status: 400, message: "m" });
  });
});

test("R2.5 retry-after in milliseconds, seconds or as a date", () => {
  const now = Date.parse("2026-11-30T10:00:00Z");
  const read = (headers: Record<string, string>) => readRetryAfter(headers, now);
  expect(read({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
  expect(read({ "retry-after": "1.5" })).toBe(1500);
  expect(read({ "retry-after": "Mon, 30 Nov 2026 10:00:20 GMT" })).toBe(20_000);
  expect(read({ "retry-after": "Mon, 30 Nov 2026 09:00:00 GMT" })).toBe(0);
  const none: Record<string, string>[] = [
    {},
    { "retry-after": "" },
    { "retry-after": "soon" },
    { "retry-after": "-3x" },
  ];
  for (const headers of none) expect(read(headers)).toBeUndefined();
});

test("R2.5 a limit that a stream tells of asks for its pause in words", () => {
  const pause = (message: string, status?: number) =>
    judge({ code: "rate_limit_exceeded", message, ...(status !== undefined && { status }) }).retryAfterMs;
  expect(pause("Rate limit reached for m: Limit 30000, Used 25265. Please try again in 6.57s. Visit https://x")).toBe(
    6570,
  );
  expect(pause("Please try again in 7m12.5s.")).toBe(432_500);
  expect(pause("try again in 120ms")).toBe(120);
  expect(pause("Please try again in a while, or in 3 days.")).toBeUndefined();
  expect(judge({ message: "Try again in 5s." })).toEqual({ failure: "server", retryable: true });
  const told = refusalError({ status: 429, message: "Try again in 5s.", retryAfterMs: 9 }, endpoint, {
    sentMedia: false,
  });
  expect(told.facts.retryAfterMs).toBe(9);
  expect(judge({ code: "too_many_requests", message: "Too Many Requests" }).failure).toBe("rate-limited");
});

test("R2.5 a flagged message or a forbidden country is no matter of the key", () => {
  const flagged = {
    code: 403,
    message: "m requires moderation",
    metadata: { reasons: ["violence"], flagged_input: "x" },
  };
  const country = { code: "unsupported_country_region_territory", message: "no", type: "request_forbidden" };
  for (const error of [flagged, country]) {
    const refusal = readHttpRefusal(403, JSON.stringify({ error }), {});
    const told = refusalError(refusal, endpoint, { sentMedia: false });
    expect(told.facts).toMatchObject({ failure: "rejected", retryable: false, status: 403 });
    expect(told.message).toContain("openrouter refused the request (403): ");
  }
});

test("R2.5 a limit of tokens above the model's own says which setting it is", () => {
  const told = (message: string) => refusalError({ status: 400, message }, endpoint, { sentMedia: false });
  const claude = "max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku";
  for (const message of [claude, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"])
    expect(told(message)).toMatchObject({
      facts: { failure: "rejected" },
      message: `openrouter refused the request (400): ${message}: set BUB_MAX_TOKENS to what the model allows.`,
    });
  expect(told("no such model").message).toBe("openrouter refused the request (400): no such model.");
});
