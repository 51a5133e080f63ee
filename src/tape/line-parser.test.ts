import { expect, test } from "vitest";
import { parseLine } from "./line-parser.ts";
import type { TapeProblem } from "./store.ts";

const lineOf = (id: number, content: unknown = "x") =>
  JSON.stringify({ id, kind: "message", payload: { content }, meta: {}, date: "2026-01-01T00:00:00.000Z" });

function read(text: string | Buffer) {
  const bytes = Buffer.from(text);
  const problems: TapeProblem[] = [];
  const ids = parseLine(bytes, 0, bytes.length, 100, (problem) => problems.push(problem)).map(({ id }) => id);
  return { ids, problems };
}

test("R3.4 a sound line is one entry, an empty one none, and neither is a problem", () => {
  expect(read(lineOf(1))).toEqual({ ids: [1], problems: [] });
  expect(read(`${lineOf(1)}\r`)).toEqual({ ids: [1], problems: [] });
  expect(read("")).toEqual({ ids: [], problems: [] });
  expect(read("  ")).toEqual({ ids: [], problems: [] });
});

test("R3.4 entries glued on one line are all read", () => {
  expect(read(lineOf(1) + lineOf(2) + lineOf(3))).toEqual({ ids: [1, 2, 3], problems: [] });
  expect(read(`{"kind":"message","id":1,"payload":{}}{"kind":"message","id":2,"payload":{}}`).ids).toEqual([1, 2]);
});

test("R3.4 an entry after a torn one is read, wherever the tear is", () => {
  const torn = lineOf(1, [{ id: 7, name: "bash", arguments: {}, text: 'a "quoted" {brace} \\' }]);
  for (let cut = 1; cut < torn.length; cut++) {
    const { ids, problems } = read(torn.slice(0, cut) + lineOf(2) + lineOf(3));
    expect({ cut, ids }).toEqual({ cut, ids: [2, 3] });
    expect(problems).toEqual([{ offset: 100, length: cut, reason: "torn" }]);
  }
});

test("R3.4 NUL blocks are skipped and what stands around them is read", () => {
  const nul = "\0".repeat(10);
  expect(read(nul)).toEqual({ ids: [], problems: [{ offset: 100, length: 10, reason: "blank" }] });
  expect(read(nul + lineOf(2))).toEqual({ ids: [2], problems: [{ offset: 100, length: 10, reason: "blank" }] });
  const around = read(`${lineOf(1)}${nul}ge"}}${nul}${lineOf(3)}`);
  expect(around.ids).toEqual([1, 3]);
  expect(around.problems.map(({ reason, length }) => [reason, length])).toEqual([
    ["blank", 10],
    ["corrupt", 5],
    ["blank", 10],
  ]);
  const inside = `${lineOf(1).slice(0, 20)}${nul}${lineOf(1).slice(30)}`;
  expect(read(inside).problems.map(({ reason }) => reason)).toEqual(["torn", "blank", "corrupt"]);
});

test("R3.4 a part of a torn entry is not taken for an entry", () => {
  const torn = lineOf(1, [JSON.parse(lineOf(2)), JSON.parse(lineOf(3)), 4]);
  expect(read(torn.slice(0, -30)).ids).toEqual([]);
});

test("R3.4 entries of other versions are told from rubbish, with their ids", () => {
  const future = `{"id":9,"kind":"thought","payload":{}}`;
  expect(read(future).problems).toEqual([{ offset: 100, length: future.length, reason: "unknown", id: 9 }]);
  expect(read(`{"id":"01J","kind":"message","payload":{}}`).problems).toMatchObject([
    { reason: "unknown", id: undefined },
  ]);
  expect(read(future + lineOf(10))).toMatchObject({ ids: [10], problems: [{ reason: "unknown", id: 9 }] });
  for (const rubbish of ["42", "[]", "{}", '{"id":1}', "plain words", "\u{1f600}"]) {
    expect(read(rubbish)).toMatchObject({ ids: [], problems: [{ reason: "corrupt" }] });
  }
});

test("R3.4 a line of damaged megabytes is given up in time that grows with its length", () => {
  const started = performance.now();
  expect(read('{"id":'.repeat(200_000)).ids).toEqual([]);
  expect(read(`${'[{"id":1,'.repeat(100_000)}${"}".repeat(100_000)}`).ids).toEqual([]);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("R3.1 Python Bub's lines are read, with their time stamps", () => {
  const bytes = Buffer.from(
    '{"id": 1, "kind": "anchor", "payload": {"name": "session/start"}, "timestamp": 1770000000.25}',
  );
  expect(parseLine(bytes, 0, bytes.length, 0, () => {})).toEqual([
    { id: 1, kind: "anchor", payload: { name: "session/start" }, meta: {}, date: "2026-02-02T02:40:00.250Z" },
  ]);
});
