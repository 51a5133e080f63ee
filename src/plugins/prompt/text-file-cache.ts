// Texts that are read again only when their file changed.
import { stat } from "node:fs/promises";
import { codeOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { readRegularFile } from "../../base/regular-file.ts";

export class TextFileCache {
  readonly #known = new Map<string, { stamp: string; text: string }>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The file's text without blanks at its end; undefined when there is no such file, and, with a line in the log, when it cannot be read. */
  async read(path: string): Promise<string | undefined> {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.text;
      const text = (await readRegularFile(path)).toString("utf8").trimEnd();
      this.#known.set(path, { stamp, text });
      return text;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") {
        this.#log.error("a file for the prompt cannot be read", { file: path, error });
      }
      return undefined;
    }
  }
}
