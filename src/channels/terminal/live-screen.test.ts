import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EmulatedTerminal, type EmulatedTerminalOptions } from "../../../test/support/emulated-terminal.ts";
import { long } from "../../../test/support/requirements.ts";
import { LiveScreen } from "./live-screen.ts";

/** Longer than a size has to hold, and half as long as an answer is waited for (milliseconds). */
const longMs = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A screen with a live part of some lines and a prompt, on a terminal that everything reaches when a test says so. */
class Scene implements Disposable {
  readonly terminal: EmulatedTerminal;
  readonly screen: LiveScreen;
  /** A mark for each finished line, in their order. */
  readonly marks: string[] = [];
  #live: readonly string[] = ["> "];

  constructor(options: Partial<EmulatedTerminalOptions> = {}) {
    this.terminal = new EmulatedTerminal({ columns: 80, rows: 30, ...options });
    this.screen = new LiveScreen(this.terminal);
    this.screen.addChild({ render: () => [...this.#live], invalidate: () => undefined });
    this.screen.start();
  }

  /** @param widths of lines, in columns; they are no wider than the screen says that there is room for */
  grow(widths: readonly number[], last = "> "): void {
    this.#live = [...widths.map((width) => "l".repeat(Math.min(width, this.screen.room))), last];
    this.screen.requestRender();
  }

  finish(widths: readonly number[]): void {
    const lines = widths.map((width) => {
      const mark = `m${this.marks.push(`m${this.marks.length + 1}x`)}x `;
      const room = Math.min(width, this.screen.room) - mark.length;
      return `\u001b[1m${mark}\u001b[22m${width % 2 === 0 ? "三".repeat(room / 2) : "".padEnd(room, ".")}`;
    });
    this.screen.finish(lines);
  }

  async pass(milliseconds = 20): Promise<void> {
    await vi.advanceTimersByTimeAsync(milliseconds);
  }

  async arrive(): Promise<void> {
    const arrived = this.terminal.arrive();
    await this.pass(1);
    await arrived;
  }

  /** The terminal becomes narrow, and what is drawn next is made for that. */
  async narrow(): Promise<void> {
    this.terminal.resize(30, this.terminal.rows);
    this.terminal.tell();
    for (let round = 0; round < 2; round += 1) {
      await this.pass(longMs);
      await this.arrive();
      this.terminal.reply();
    }
  }

  /** Everything reaches everybody, until nothing changes any more. */
  async rest(): Promise<void> {
    this.terminal.tell();
    for (let round = 0; round < 6; round += 1) {
      await this.pass(longMs);
      await this.arrive();
      this.terminal.reply();
    }
  }

  /** What stands there in the end: the marks, and what is not a finished line. */
  async end(): Promise<{ marks: string[]; others: string[] }> {
    this.grow([], "the end");
    await this.rest();
    const lines = this.terminal.text().split("\n");
    const marks = lines.flatMap((line) => line.match(/m\d+x/g) ?? []);
    return { marks, others: lines.filter((line) => !/^m\d+x [.三]*$/.test(line)) };
  }

  [Symbol.dispose](): void {
    this.screen.stop();
  }
}

const onlyTheEnd = (scene: Scene) => ({ marks: scene.marks, others: ["the end"] });

test("R5.2 what is finished before the screen begins has the terminal's width", async () => {
  const terminal = new EmulatedTerminal({ columns: 80, rows: 30 });
  const screen = new LiveScreen(terminal);
  expect(screen.room).toBe(79);
});

test("R5.2 what was drawn just before the terminal became narrower is drawn over: each line stands once", async () => {
  using scene = new Scene();
  scene.grow([70, 70, 70]);
  await scene.rest();
  scene.finish([60, 61]);
  scene.grow([70, 70]);
  await scene.pass();
  scene.terminal.resize(40, 30);
  await scene.arrive();
  expect(scene.terminal.text().match(/l{40}/g)).not.toHaveLength(2);
  expect(await scene.end()).toEqual(onlyTheEnd(scene));
});

test("R5.2 finished lines that were written over, as the terminal became wider just before, are written again", async () => {
  using scene = new Scene();
  scene.finish([70, 75, 70, 75]);
  scene.grow([70, 70, 70]);
  await scene.rest();
  await scene.narrow();
  scene.grow([70]);
  await scene.pass();
  // Drawn for 30 columns, where it has to go up nine rows.
  scene.terminal.resize(80, 30);
  await scene.arrive();
  expect(scene.terminal.text()).not.toContain("m4x");
  expect(await scene.end()).toEqual(onlyTheEnd(scene));
});

test("R5.2 what stood in the wrong place and has left the screen is not written again", async () => {
  using scene = new Scene({ rows: 20 });
  scene.grow([70, 70]);
  await scene.rest();
  scene.finish(Array.from({ length: 30 }, () => 20));
  await scene.pass();
  scene.terminal.resize(40, 20);
  await scene.arrive();
  expect((await scene.end()).marks).toEqual(scene.marks);
});

test("R5.2 on a terminal that gives no answers a resize is drawn for once it has held", async () => {
  using scene = new Scene({ answers: false });
  scene.grow([70, 70, 70]);
  await scene.rest();
  for (const columns of [40, 75, 33, 80]) {
    scene.finish([60, 61]);
    scene.grow([70, 70]);
    await scene.pass();
    await scene.arrive();
    scene.terminal.resize(columns, 30);
    scene.terminal.tell();
    await scene.pass();
    await scene.arrive();
  }
  expect(await scene.end()).toEqual(onlyTheEnd(scene));
});

test("R5.2 on a terminal that cuts its lines nothing above the live part is written over", async () => {
  using scene = new Scene({ reflows: false });
  scene.finish([20, 21]);
  scene.grow([70, 70, 70]);
  await scene.rest();
  for (const columns of [40, 90, 30]) {
    scene.terminal.resize(columns, 30);
    await scene.rest();
    scene.finish([20, 21]);
    scene.grow([70, 70, 70]);
    await scene.rest();
  }
  // What was cut off stands behind its lines once it is wider: no program reaches that.
  expect((await scene.end()).marks).toEqual(scene.marks);
});

test("R5.2 a terminal that stops answering is drawn on all the same", async () => {
  using scene = new Scene();
  await scene.rest();
  scene.terminal.resize(60, 30);
  scene.terminal.tell();
  scene.finish([50]);
  for (let round = 0; round < 4; round += 1) {
    await scene.pass(longMs);
    await scene.arrive();
  }
  expect(scene.terminal.text()).toContain("m1x");
  expect(scene.screen.room).toBe(59);
});

test("R5.2 an answer that comes too late is nothing that somebody types", async () => {
  using scene = new Scene();
  const typed: string[] = [];
  const editor = {
    render: () => ["> "],
    handleInput: (data: string) => void typed.push(data),
    invalidate: () => undefined,
  };
  scene.screen.setFocus(editor);
  await scene.rest();
  scene.finish([50]);
  for (let round = 0; round < 4; round += 1) await scene.pass(longMs);
  await scene.arrive();
  expect(scene.terminal.owed).toBeGreaterThan(0);
  scene.terminal.reply();
  expect(typed).toEqual([]);
});

test("R5.2 whoever reads the terminal next gets no answer to what was drawn: leaving waits for it", async () => {
  using scene = new Scene();
  await scene.rest();
  scene.finish([50]);
  await scene.pass();
  let hasSettled = false;
  const settled = scene.screen.settle().then(() => {
    hasSettled = true;
  });
  scene.finish([50]);
  await scene.arrive();
  expect(hasSettled).toBe(false);
  scene.terminal.reply();
  await settled;
  await scene.pass(longMs);
  scene.screen.stop();
  await scene.arrive();
  scene.terminal.reply();
  expect(scene.terminal.owed).toBe(0);
  expect(scene.terminal.text()).toMatch(/^m1x .*\nm2x .*$/);
});

test("R5.2 a terminal that never answered holds nobody up who leaves", async () => {
  using scene = new Scene({ answers: false });
  await scene.rest();
  await scene.screen.settle();
});

const columns = fc.integer({ min: 30, max: 120 });
const rows = fc.integer({ min: 20, max: 40 });
const widths = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 4 });
const marked = fc.array(fc.integer({ min: 8, max: 130 }), { minLength: 1, maxLength: 16 });
const step = fc.oneof(
  fc.record({ name: fc.constant("finish"), marked }),
  fc.record({ name: fc.constant("grow"), widths }),
  fc.record({ name: fc.constantFrom("draw", "race"), widths, marked: fc.option(marked), columns, rows }),
  fc.record({ name: fc.constant("swing"), columns, rows, marked }),
  fc.record({ name: fc.constant("resize"), columns, rows }),
  fc.record({ name: fc.constantFrom("tell", "arrive", "reply", "pass", "rest") }),
);

const kinds = {
  "each line stands there once, and nothing else": { isTall: true, reflows: true },
  "nothing is lost on a low terminal": { isTall: false, reflows: true },
  "each line stands once on a terminal that cuts its lines": { isTall: true, reflows: false },
};

for (const [kind, { isTall, reflows }] of Object.entries(kinds)) {
  test(`R5.2 whenever the size changes, and however late anybody hears of it: ${kind}`, async () => {
    let corrections = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
        using scene = new Scene({ rows: isTall ? 500 : 30, reflows });
        await scene.rest();
        for (const step of steps) {
          if (step.name === "swing") await scene.narrow();
          if ("marked" in step && step.marked !== null) scene.finish(step.marked);
          if ("widths" in step) scene.grow(step.widths);
          if (["draw", "race", "swing", "pass"].includes(step.name)) await scene.pass();
          if ("columns" in step && step.name !== "draw") scene.terminal.resize(step.columns, isTall ? 500 : step.rows);
          if (step.name === "tell" || step.name === "reply") scene.terminal[step.name]();
          if (["race", "swing", "arrive"].includes(step.name)) await scene.arrive();
          if (step.name === "rest") await scene.rest();
        }
        const { marks, others } = await scene.end();
        // What leaves a low screen before its answer comes cannot be drawn over; but nothing is lost.
        if (isTall) expect(marks).toEqual(scene.marks);
        else expect(new Set(marks)).toEqual(new Set(scene.marks));
        if (reflows) expect(isTall ? others : others.slice(-1)).toEqual(["the end"]);
        corrections += scene.screen.corrections;
      }),
      { numRuns: long ? 1_000 : 40 },
    );
    // Else nothing was put to the test.
    expect(corrections).toBeGreaterThan(10);
  });
}
