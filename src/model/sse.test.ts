import fc from "fast-check";
import { expect, test } from "vitest";
import { type SseEvent, SseParser } from "./sse.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(chunks: Iterable<Uint8Array>): SseEvent[] {
  const parser = new SseParser();
  const events = [...chunks].flatMap((chunk) => parser.push(chunk));
  return [...events, ...parser.end()];
}

const whole = (text: string): SseEvent[] => parse([bytes(text)]);
const message = (data: string): SseEvent => ({ event: "message", data });

test("R2.8 data lines, several a frame, with or without a blank after the colon", () => {
  expect(whole("data: one\n\ndata:two\ndata:  three\n\n")).toEqual([message("one"), message("two\n three")]);
});

test("R2.8 CRLF, CR and LF end lines, mixed too", () => {
  expect(whole("data: a\r\n\r\ndata: b\r\rdata: c\n\ndata: d\r\n\n")).toEqual(["a", "b", "c", "d"].map(message));
});

test("R2.8 comments, unknown fields, a byte order mark and named events are understood", () => {
  expect(
    whole("\uFEFFdata: a\nid: 7\nretry: 10\nodd\n\n: hello\n\nevent: ping\ndata: {}\n\nevent: lonely\n\n"),
  ).toEqual([message("a"), { event: "ping", data: "{}" }]);
});

test("R2.8 a frame without its blank line is given at the end, marked", () => {
  expect(whole("data: a\n\ndata: b")).toEqual([message("a"), { ...message("b"), incomplete: true }]);
  expect(whole("data: a\n")).toEqual([{ ...message("a"), incomplete: true }]);
  expect(whole("data: a\n\n: comment")).toEqual([message("a")]);
});

test("an event is given as soon as its blank line is there, also after a CR", () => {
  const parser = new SseParser();
  expect(parser.push(bytes("data: a\r\n\r"))).toEqual([message("a")]);
  expect(parser.push(bytes("\ndata: b\n"))).toEqual([]);
  expect(parser.push(bytes("\n"))).toEqual([message("b")]);
});

test("a frame above the limit is an error, whether in one line, in many or without an end", () => {
  const tooLarge = expect.objectContaining({ facts: { failure: "malformed", retryable: false } });
  for (const text of ["data: 0123456789\n\n", "data: 01234\ndata: 56789\n\n", "data: 0123456", ": 0123456789"]) {
    const feed = () => new SseParser({ limit: 8 }).push(bytes(text));
    expect(feed, text).toThrow(tooLarge);
  }
});

const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const value = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ""));
const line = fc.oneof(
  value.map((text) => `data: ${text}`),
  value.map((text) => `data:${text}`),
  value.map((text) => `: ${text}`),
  value.map((text) => `event: ${text}`),
  fc.constant("id: 1"),
  fc.constant(""),
);
const stream = fc.array(fc.tuple(line, lineEnd), { maxLength: 30 }).map((lines) => lines.flat().join(""));

test("R2.8 every split of the bytes gives the same events", () => {
  fc.assert(
    fc.property(fc.boolean(), stream, fc.array(fc.nat()), (mark, text, cuts) => {
      const all = bytes((mark ? "\uFEFF" : "") + text);
      const places = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort((left, right) => left - right);
      const chunks = [0, ...places].map((place, index) => all.subarray(place, places[index] ?? all.length));
      expect(parse(chunks)).toEqual(parse([all]));
      expect(parse([...all].map((byte) => Uint8Array.of(byte)))).toEqual(parse([all]));
    }),
  );
});

test("R2.8 line ends of any kind give the events of LF", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), lineEnd, (lines, end) => {
      expect(whole(lines.map((text) => text + end).join(""))).toEqual(whole(lines.map((text) => `${text}\n`).join("")));
    }),
  );
});
