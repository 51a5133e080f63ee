import fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelMessage } from "../model.ts";
import { MessageList } from "./message-list.ts";

const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;

const content = fc.oneof(fc.string(), fc.constant([{ type: "text", text: "t" }, image] as const));
const user = content.map((said): ModelMessage[] => [{ role: "user", content: said }]);
const step = fc.tuple(fc.array(content, { maxLength: 3 }), fc.string()).map(([results, said]): ModelMessage[] => [
  {
    role: "assistant",
    content: said,
    calls: results.map((_, index) => ({ id: `c${index}`, name: "x", arguments: {} })),
  },
  ...results.map(
    (value, index): ModelMessage => ({
      role: "tool",
      callId: `c${index}`,
      name: "x",
      content: value,
      isError: false,
    }),
  ),
]);
const conversation = fc.array(fc.oneof(user, step), { maxLength: 12 });

async function textOf(list: MessageList, messages: readonly ModelMessage[]): Promise<string> {
  const { chunks, hasMedia } = await list.render(messages, async () => "");
  return `${hasMedia} ${Buffer.concat(chunks)}`;
}

/** Without blocks, without anything remembered. */
const plainText = (messages: readonly ModelMessage[]) =>
  textOf(new MessageList({ provider: "p", modelId: "m" }, { blockLength: Number.MAX_SAFE_INTEGER }), messages);

test("R2.4 a conversation has the same bytes whether blocks of it are used again or not", async () => {
  await fc.assert(
    fc.asyncProperty(
      conversation,
      conversation,
      fc.nat(12),
      fc.integer({ min: 1, max: 6 }),
      async (parts, others, from, blockLength) => {
        const list = new MessageList({ provider: "p", modelId: "m" }, { blockLength });
        const grown: ModelMessage[] = [];
        for (const part of parts) {
          grown.push(...part);
          expect(await textOf(list, grown)).toBe(await plainText(grown));
        }
        // Another end to the same beginning, and the same end without its beginning.
        const branch = [...parts.slice(0, from), ...others].flat();
        expect(await textOf(list, branch)).toBe(await plainText(branch));
        const tail = parts.slice(from).flat();
        expect(await textOf(list, tail)).toBe(await plainText(tail));
        expect(await textOf(list, grown)).toBe(await plainText(grown));
      },
    ),
    { numRuns: 200 },
  );
});

test("a long conversation is sent in few pieces, the old ones the very same bytes", async () => {
  const list = new MessageList({ provider: "p", modelId: "m" });
  const messages = Array.from(
    { length: 1000 },
    (_, index): ModelMessage => ({ role: "user", content: `message ${index}` }),
  );
  const first = await list.render(messages, async () => "");
  expect(first.chunks.length).toBeLessThan(100);
  const second = await list.render([...messages, { role: "user", content: "more" }], async () => "");
  expect(second.chunks.filter((chunk) => !first.chunks.includes(chunk))).toHaveLength(1);
});
