import { expect, test } from "vitest";
import { parseCall } from "./call.ts";

const parse = (text: string, options?: { complete: boolean }) =>
  parseCall({ id: "c1", name: "fs.read", arguments: text }, options);

test("T0.5 arguments are parsed from the raw text", () => {
  expect(parse('{"path":"a"}')).toEqual({ id: "c1", name: "fs.read", arguments: { path: "a" } });
});

test("T0.6 an empty string from a complete call is {}", () => {
  expect(parse("")).toEqual({ id: "c1", name: "fs.read", arguments: {} });
  expect(parse(" \n").problem).toBeUndefined();
});

test("T0.6 arguments that are no JSON object are an invalid_input error with {} in their place", () => {
  for (const text of ["[]", "null", '"text"', "5", "true", "{", '{"path":"a', "hello", '{"a":1}{"b":2}']) {
    expect(parse(text)).toEqual({
      id: "c1",
      name: "fs.read",
      arguments: {},
      problem: {
        kind: "invalid_input",
        message: "Tool 'fs_read' argument validation failed.",
        details: { errors: [{ path: "", message: expect.stringMatching(/^arguments /) as string }], raw: text },
      },
    });
  }
});

test("T0.6 a call that was cut off never runs, however whole it looks", () => {
  for (const text of ["", '{"path":"a"}', '{"pa']) {
    expect(parse(text, { complete: false })).toMatchObject({ arguments: {}, problem: { kind: "invalid_input" } });
  }
});

test("T0.6 details.raw has the first 2,000 characters and no half of one", () => {
  expect(parse(`${"x".repeat(3_000)}`).problem?.details?.raw).toBe("x".repeat(2_000));
  expect(parse(`${"x".repeat(1_999)}😀`).problem?.details?.raw).toBe("x".repeat(1_999));
});

test("T0.6 arguments that are nested too deeply to be written down are that error, too", () => {
  const nested = (depth: number) => `{"command":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect(parseCall({ id: "1", name: "bash", arguments: nested(500) }).problem).toBeUndefined();
  const { arguments: args, problem } = parseCall({ id: "1", name: "bash", arguments: nested(100_000) });
  expect(args).toEqual({});
  expect(problem?.details?.errors).toEqual([{ path: "", message: "arguments are nested more than 1000 deep" }]);
});
