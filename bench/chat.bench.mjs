// The chat in a terminal: until somebody can type, its memory, and how soon a key is shown while an answer streams.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, inTurns, median, now, ratio, shared } from "./measure.mjs";
import { openTerminal } from "./terminal.mjs";
import { benchFile, cliFile, inWorld } from "./world.mjs";

/** The line that is typed into: the first or a further one of what is drawn. @param typed what stands in it */
const prompt = (typed = "") => new RegExp(`(?:\x1b8|\r\n)>${typed}`);
const ctrlD = "\x04";

const starts = shared(({ full }) =>
  inWorld(async (world) => {
    await world.plan();
    const file = join(world.folder, "peak");
    const place = { env: { ...world.env, BENCH_PEAK_FILE: file }, cwd: world.workspace };
    const node = (...words) => openTerminal([process.execPath, ...words], place);
    const found = await inTurns(full ? 21 : 7, {
      chat: async () => {
        const startedAt = now();
        const terminal = node("--require", benchFile("peak-memory.cjs"), cliFile, "chat", "--new");
        const elapsedMs = (await terminal.until(prompt())) - startedAt;
        terminal.type("hi\r");
        await terminal.until(/ok/);
        await terminal.until(prompt());
        terminal.type(ctrlD);
        await terminal.closed;
        return { elapsedMs, peak: Number(readFileSync(file, "utf8")) / 1024 ** 2 };
      },
      floor: async () => {
        const startedAt = now();
        await node("-e", "0").closed;
        return now() - startedAt;
      },
    });
    const elapsed = median(found.chat.map(({ elapsedMs }) => elapsedMs));
    return { start: ratio(elapsed, median(found.floor)), peak: median(found.chat.map(({ peak }) => peak)) };
  }),
);

/** A paragraph that wraps, with what Markdown has: a piece every 10 ms is about 600 words a second. */
const text = "a **word** or `two` of ";

const typing = ({ full }) =>
  inWorld(async (world) => {
    await world.plan({ calls: 0, stream: { text: `${text}${text.repeat(2)}\n\n`, pieces: 100_000, everyMs: 10 } });
    const terminal = openTerminal([process.execPath, cliFile, "chat", "--new"], {
      env: world.env,
      cwd: world.workspace,
    });
    try {
      await terminal.until(prompt());
      terminal.type("go\r");
      for (let count = 0; count < 50; count += 1) await terminal.until(/word/);
      const waits = [];
      let typed = "";
      for (let count = 0; count < (full ? 400 : 100); count += 1) {
        const letter = "abcdefghij"[count % 10];
        typed += letter;
        const startedAt = now();
        terminal.type(letter);
        waits.push((await terminal.until(prompt(` ${typed}`))) - startedAt);
        if (typed.length === 40) {
          terminal.type("\x15");
          typed = "";
          await terminal.until(prompt("\r"));
        }
      }
      const sorted = waits.sort((one, other) => one - other);
      const most = sorted[Math.floor(sorted.length * 0.95)];
      return { value: most, text: `${median(sorted).toFixed(1)} ms, 95 of 100 within ${most.toFixed(1)} ms` };
    } finally {
      terminal.kill();
    }
  });

export const rows = [
  {
    name: "chat",
    work: "`bub chat`, start until somebody can type",
    goal: atMost(4, "× node floor, both in a terminal"),
    measure: async (options) => (await starts(options)).start,
  },
  {
    name: "chat-memory",
    work: "… peak memory of one answer",
    goal: atMost(90, "MB"),
    measure: async (options) => {
      const { peak } = await starts(options);
      return { value: peak, text: `${peak.toFixed(0)} MB` };
    },
  },
  {
    name: "chat-typing",
    work: "… a key typed while an answer streams, until it is shown",
    goal: atMost(16, "ms for 95 of 100 keys"),
    measure: typing,
  },
];

/** Where these rows stand in the table. */
export const place = 9;
