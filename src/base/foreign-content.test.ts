import { expect, test } from "vitest";
import { contentFromJson } from "./content.ts";

test("R3.1 parts of OpenAI's APIs are read as ours", () => {
  const data = "data:image/png;base64,iVBO";
  expect(
    contentFromJson([
      { type: "text", text: "a" },
      "b",
      { type: "input_text", text: "c" },
      { type: "image_url", image_url: { url: data } },
      { type: "input_image", image_url: "https://x.test/a.JPG?b=1" },
      { type: "video_url", video_url: { url: "https://x.test/a" } },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ]),
  ).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: "b" },
    { type: "text", text: "c" },
    { type: "image", media_type: "image/png", data: "iVBO" },
    { type: "image", media_type: "image/jpeg", url: "https://x.test/a.JPG?b=1" },
    { type: "video", media_type: "video/mp4", url: "https://x.test/a" },
    { type: "audio", media_type: "audio/mp3", data: "AAAA" },
  ]);
});

test("what is no part is left out, and a medium without bytes is told in words", () => {
  const odd = [
    null,
    7,
    { type: "file", file: {} },
    { type: "image_url" },
    { type: "image_url", image_url: { url: "data:x" } },
  ];
  expect(contentFromJson(odd)).toEqual([]);
  expect(
    contentFromJson([
      { type: "image", media_type: "image/png" },
      { type: "audio", data: "AAAA" },
    ]),
  ).toEqual([
    { type: "text", text: "[image: image/png]" },
    { type: "text", text: "[audio: unknown]" },
  ]);
  expect(contentFromJson({})).toBe("");
});
