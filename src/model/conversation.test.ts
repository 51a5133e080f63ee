import fc from "fast-check";
import { expect, test } from "vitest";
import { ConversationRenderer, plainCallId, plainToolName } from "./conversation.ts";
import type { ModelMessage } from "./model.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
let renders = 0;
const renderer = (settleAfter = 64) =>
  new ConversationRenderer(
    {
      sides: { user: bytes("user["), assistant: bytes("assistant[") },
      opening: bytes("opening"),
      callId: (id) => plainCallId(id, 20),
      render(message, ids) {
        renders++;
        const said = typeof message.content === "string" ? message.content : "";
        const blocks = said === "" && ids.length === 0 ? [] : [bytes([said, ...ids].join(" "))];
        const afterResults = message.role === "tool" ? [bytes(`after ${ids[0]}`)] : [];
        return { side: message.role === "assistant" ? "assistant" : "user", blocks, afterResults, hasMedia: false };
      },
    },
    { settleAfter },
  );

const user = (content: string): ModelMessage => ({ role: "user", content });
const answer = (content: string, ...ids: string[]): ModelMessage => ({
  role: "assistant",
  content,
  calls: ids.map((id) => ({ id, name: "x", arguments: {} })),
});
const result = (callId: string): ModelMessage => ({ role: "tool", callId, name: "x", content: "r", isError: false });

async function shown(messages: readonly ModelMessage[], from = renderer()): Promise<string[]> {
  const { chunks } = await from.render(messages, async () => "");
  return Buffer.concat(chunks)
    .toString("utf8")
    .split("]},")
    .map((passage) => passage.replace(/\]\}$/, ""));
}

test("neighbours of one side become one passage; what is hoisted follows the results of its step", async () => {
  const messages = [user("a"), user("b"), answer("c", "1", "2"), result("1"), result("2"), user("d"), answer("e")];
  expect(await shown(messages)).toEqual([
    "user[a,b",
    "assistant[c 1 2",
    "user[r 1,r 2,after 1,after 2,d",
    "assistant[e",
  ]);
});

test("an answer first gets something before it, also when nothing is left of it", async () => {
  expect(await shown([answer("a")])).toEqual(["user[opening", "assistant[a"]);
  expect(await shown([answer(""), user("b")])).toEqual(["user[opening,b"]);
});

test("ids that come again are told apart, in calls and in their results", async () => {
  const step = [answer("", "f:0"), result("f:0")];
  const all = (await shown([user("a"), ...structuredClone(step), ...structuredClone(step)])).join("\n");
  const ids = [...new Set(all.match(/f_\w+/g))];
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(all.split(id)).toHaveLength(4);
});

test("R2.4 a message is rendered once for its object", async () => {
  const messages = [user("a"), answer("b", "1"), result("1")];
  const one = renderer();
  await shown(messages, one);
  const before = renders;
  await shown([...messages, user("c")], one);
  expect(renders).toBe(before + 1);
});

test("R2.4 what is settled has the same bytes, whatever follows it", async () => {
  const step = fc.oneof(
    fc.constantFrom("a", "").map((said) => [user(said)]),
    fc
      .tuple(fc.constantFrom("b", ""), fc.subarray(["1", "f:0"]))
      .map(([said, ids]) => [answer(said, ...ids), ...ids.map(result)]),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 30 }),
      fc.array(step),
      fc.nat(30),
      async (steps, others, at) => {
        const one = renderer(1);
        const grown: ModelMessage[] = [];
        for (const part of steps) {
          grown.push(...part);
          expect(await shown(grown, one)).toEqual(await shown(grown));
        }
        // Another end to the same beginning.
        const branch = [...steps.slice(0, at), ...others].flat();
        expect(await shown(branch, one)).toEqual(await shown(branch));
        expect(await shown(grown, one)).toEqual(await shown(grown));
      },
    ),
    { numRuns: 60 },
  );
});

test("R2.4 a long conversation is sent in few pieces, the old ones the very same bytes", async () => {
  const one = renderer();
  const messages = Array.from({ length: 1000 }, (_, index) => [user(`a${index}`), answer(`b${index}`)]).flat();
  await one.render(messages, async () => "");
  const first = await one.render(messages, async () => "");
  const second = await one.render([...messages, user("more")], async () => "");
  expect(second.chunks.length).toBeLessThan(100);
  expect(second.chunks[0]).toBe(first.chunks[0]);
});

test("call ids of letters that all take: unchanged where they may be, else marked by a hash", () => {
  expect(plainCallId("call_1", 20)).toBe("call_1");
  const [colon, dot, long] = ["a:1", "a.1", "x".repeat(30)].map((id) => plainCallId(id, 20));
  for (const id of [colon, dot, long]) expect(id).toMatch(/^[\w-]{1,20}$/);
  expect(new Set([colon, dot, long]).size).toBe(3);
});

test("R4.3 names that models make up become such as every API takes, the same for the same", () => {
  const names = ["fs_read", "fs.read", "bash<|channel|>json", "", "工具", "1st", "x".repeat(80)].map(plainToolName);
  expect(names.slice(0, 6)).toEqual(["fs_read", "fs_read", "bash__channel__json", "_", "__", "_1st"]);
  expect(names[6]).toHaveLength(64);
});
