import { expect, test } from "vitest";
import { withMediaNotes } from "./media-notes.ts";
import type { ModelMessage } from "./model.ts";

const image = { type: "image", media_type: "image/png", data: "AAAA", bytes: 3 } as const;

test("R4.3 media become notes, texts stay, and a message gives the same object each time", () => {
  const message: ModelMessage = {
    role: "tool",
    callId: "c",
    name: "fs_read",
    content: [{ type: "text", text: "a" }, image],
    isError: false,
  };
  const noted = withMediaNotes(message);
  expect(noted).toEqual({
    ...message,
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "[image: image/png, 3 bytes]" },
    ],
  });
  expect(withMediaNotes(message)).toBe(noted);
});

test("a message without media is itself", () => {
  const messages: ModelMessage[] = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "user", content: [{ type: "text", text: "c" }] },
  ];
  for (const message of messages) expect(withMediaNotes(message)).toBe(message);
});
