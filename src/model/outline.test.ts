import { expect, test } from "vitest";
import { Outline, piecesOf } from "./outline.ts";

const maker = { provider: "p", modelId: "m", format: "f" };
const call = (id: string) => ({ id, name: "x", arguments: {} });

function outlined() {
  const outline = new Outline();
  outline.own({ sealed: 1 });
  outline.text(2);
  outline.text(1);
  outline.call({ signature: "s" });
  outline.own({ sealed: 2 });
  outline.text(2, { phase: "final" });
  return outline.toJson(maker);
}

test("R4.3 an answer goes back to its maker in the order in which it came", () => {
  const message = { role: "assistant", content: "abcde", calls: [call("1")], providerData: outlined() } as const;
  expect(piecesOf(message, maker)).toEqual([
    { type: "own", value: { sealed: 1 } },
    { type: "text", text: "abc", extra: {} },
    { type: "call", call: call("1"), index: 0, extra: { signature: "s" } },
    { type: "own", value: { sealed: 2 } },
    { type: "text", text: "de", extra: { phase: "final" } },
  ]);
});

test("R4.3 to another provider, model or format it goes without what is sealed", () => {
  const message = { role: "assistant", content: "abcde", calls: [call("1")], providerData: outlined() } as const;
  const plain = [
    { type: "text", text: "abcde", extra: {} },
    { type: "call", call: call("1"), index: 0, extra: {} },
  ];
  for (const other of [{ provider: "q" }, { modelId: "n" }, { format: "g" }])
    expect(piecesOf(message, { ...maker, ...other })).toEqual(plain);
  // Data that is not of this text and these calls.
  expect(piecesOf({ ...message, content: "abc" }, maker)).toMatchObject([{ text: "abc" }, { type: "call" }]);
  expect(piecesOf({ ...message, calls: [] }, maker)).toMatchObject([{ text: "abcde" }]);
});

test("text and calls alone need no data", () => {
  const outline = new Outline();
  outline.text(3);
  outline.call();
  expect(outline.toJson(maker)).toBeUndefined();
});

test("R4.3 reasoning that nothing follows stays at home: a cut answer had no time for more", () => {
  const outline = new Outline();
  outline.own({ sealed: 1 });
  const alone = { role: "assistant", content: "", providerData: outline.toJson(maker) } as const;
  expect(piecesOf(alone, maker)).toEqual([]);
  outline.text(1);
  outline.own({ sealed: 2 });
  const blank = { role: "assistant", content: "\n", providerData: outline.toJson(maker) } as const;
  expect(piecesOf(blank, maker)).toEqual([{ type: "text", text: "\n", extra: {} }]);
  const said = { role: "assistant", content: "a", providerData: outline.toJson(maker) } as const;
  expect(piecesOf(said, maker)).toEqual([
    { type: "own", value: { sealed: 1 } },
    { type: "text", text: "a", extra: {} },
  ]);
});
