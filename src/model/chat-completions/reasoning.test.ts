import { expect, test } from "vitest";
import { DetailAssembler, keptReasoningFromJson, keptReasoningToJson } from "./reasoning.ts";

test("R4.3 streamed blocks are joined by index and type; signatures and unknown keys stay", () => {
  const details = new DetailAssembler();
  details.push([{ type: "reasoning.text", index: 0, text: "a", format: "f" }]);
  details.push([
    { type: "reasoning.text", index: 0, text: "b" },
    { type: "reasoning.summary", index: 1, summary: "s" },
  ]);
  details.push([{ type: "reasoning.encrypted", index: 2, data: "xx", id: "r1" }]);
  details.push([{ type: "reasoning.text", index: 0, text: null, signature: "sig" }]);
  expect(details.blocks).toEqual([
    { type: "reasoning.text", index: 0, text: "ab", format: "f", signature: "sig" },
    { type: "reasoning.summary", index: 1, summary: "s" },
    { type: "reasoning.encrypted", index: 2, data: "xx", id: "r1" },
  ]);
});

test("blocks without an index are whole", () => {
  const details = new DetailAssembler();
  details.push([
    { type: "reasoning.text", text: "a" },
    { type: "reasoning.text", text: "b" },
  ]);
  details.push(null);
  expect(details.blocks).toHaveLength(2);
});

test("R4.3 kept data reads back for its provider's model only", () => {
  const maker = { provider: "p", modelId: "m" };
  const kept = { provider: "p", model: "m", field: "reasoning", details: [{ type: "t" }] } as const;
  expect(keptReasoningFromJson(keptReasoningToJson(kept), maker)).toEqual(kept);
  expect(keptReasoningFromJson(keptReasoningToJson(kept), { ...maker, provider: "q" })).toBeUndefined();
  expect(keptReasoningFromJson(keptReasoningToJson(kept), { ...maker, modelId: "n" })).toBeUndefined();
  expect(keptReasoningToJson({ provider: "p", model: "m" })).toBeUndefined();
  for (const odd of [undefined, null, "x", [], {}]) expect(keptReasoningFromJson(odd, maker)).toBeUndefined();
});
