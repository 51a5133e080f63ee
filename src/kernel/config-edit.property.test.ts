import fc from "fast-check";
import { expect, test } from "vitest";
import * as yaml from "yaml";
import type { JsonValue } from "../base/json.ts";
import { editYaml } from "./config-edit.ts";

const key = fc.constantFrom("model", "providers", "lab", "api_key", "a b", "x-y", "ключ", "1", "null", "#no");
const scalar = fc.oneof(
  fc.constantFrom<JsonValue>("plain", "two words", "sk-1: x", "# no comment", "yes", "12", "", " edge ", "- a", "{x}"),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const { map } = fc.letrec<{ map: Record<string, JsonValue>; value: JsonValue }>((tie) => ({
  map: fc.dictionary(key, tie("value"), { maxKeys: 4 }) as never,
  value: fc.oneof({ depthSize: "small" }, scalar, tie("map") as never, fc.array(scalar, { maxLength: 3 })) as never,
}));

/** The text of a document as somebody may have written it: comments, blank lines, another indentation, flow style. */
const text = fc
  .record({
    map,
    indent: fc.constantFrom(2, 3, 4),
    indentSeq: fc.boolean(),
    flow: fc.boolean(),
    crlf: fc.boolean(),
    end: fc.boolean(),
  })
  .map(({ map, indent, indentSeq, flow, crlf, end }) => {
    const style = flow ? { collectionStyle: "flow" as const } : {};
    const plain = yaml.stringify(map, { indent, indentSeq, lineWidth: 0, ...style });
    const commented = flow ? plain : plain.replace(/^(\S.*)$/gm, (line, _all, at: number) => `# c${at}\n${line}`);
    const ended = end ? commented : commented.trimEnd();
    return crlf ? ended.replaceAll("\n", "\r\n") : ended;
  });

const path = fc.array(key, { minLength: 1, maxLength: 3 });

function expected(before: unknown, [first = "", ...rest]: readonly string[], value: JsonValue): JsonValue | undefined {
  if (before !== null && before !== undefined && (typeof before !== "object" || Array.isArray(before)))
    return undefined;
  const object = { ...((before ?? {}) as Record<string, JsonValue>) };
  const inner = rest.length === 0 ? value : expected(object[first], rest, value);
  return inner === undefined ? undefined : { ...object, [first]: inner };
}

test("R5.4 any value can be set in any config.yml: it means that value, all else means the same, and comments beside it stay", () => {
  fc.assert(
    fc.property(text, path, scalar, (before, at, value) => {
      const wanted = expected(yaml.parse(before), at, value);
      const after = editYaml(before, at, value, yaml);
      expect(after === undefined).toBe(wanted === undefined);
      if (after === undefined) return;
      expect(yaml.parse(after)).toEqual(wanted);
      // What is replaced goes with the comments in it.
      const isScalar = typeof (yaml.parseDocument(before).getIn(at) ?? "") !== "object";
      if (isScalar) for (const comment of before.match(/^# c\d+/gm) ?? []) expect(after).toContain(comment);
      expect(editYaml(after, at, value, yaml)).toBe(after);
    }),
    { numRuns: 200 },
  );
});
