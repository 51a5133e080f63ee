// What was typed in a workspace before: a file below the home that only its owner can read, a JSON string a line.
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tapeIdOf } from "../../base/ids.ts";
import { parseJson } from "../../base/json.ts";

/** Messages that are offered again; the file may hold twice as many before the older half goes. */
const mostMessages = 500;

/** Longer ones, such as a pasted file, are not typed again. */
const mostCharacters = 10_000;

export class History {
  readonly #file: string;
  /** Writes one after the other. */
  #writing = Promise.resolve();

  constructor(home: string, workspace: string | undefined) {
    // The first half of a tape's id stands for the workspace.
    const [name] = tapeIdOf(workspace ?? "", "").split("__");
    this.#file = join(home, "history", `${name}.jsonl`);
  }

  /** Oldest first; none when there is no file, or none that can be read. */
  async load(): Promise<string[]> {
    const lines = (await readFile(this.#file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    const kept = lines.slice(-mostMessages);
    if (lines.length > 2 * mostMessages)
      this.#write(() => writeFile(this.#file, `${kept.join("\n")}\n`, { mode: 0o600 }));
    return kept.map(parseJson).filter((value) => typeof value === "string");
  }

  /** A history that cannot be written is none; the conversation goes on. */
  add(message: string): void {
    if (message.trim() === "" || message.length > mostCharacters) return;
    this.#write(async () => {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, `${JSON.stringify(message)}\n`, { mode: 0o600 });
    });
  }

  /** Resolves when everything added has been written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #write(write: () => Promise<void>): void {
    this.#writing = this.#writing.then(write).catch(() => undefined);
  }
}
