// Texts that are read again only when their file changed.
import { readFile, stat } from "node:fs/promises";
import { codeOf } from "../../base/errors.ts";

export class TextFileCache {
  readonly #known = new Map<string, { stamp: string; text: string }>();

  /** The file's text without blanks at its end; undefined when there is no such file. */
  async read(path: string): Promise<string | undefined> {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.text;
      const text = (await readFile(path, "utf8")).trimEnd();
      this.#known.set(path, { stamp, text });
      return text;
    } catch (error) {
      if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
      throw error;
    }
  }
}
