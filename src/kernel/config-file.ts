// Changes single values of config.yml and leaves the rest of it, comments too, as it is.
import { chmod, lstat, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BubError, codeOf, messageOf } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import { readRegularFile } from "../base/regular-file.ts";
import { reasonOf } from "../base/system-reason.ts";
import { replaceFile } from "../environment/atomic-write.ts";
import { writeDurably } from "../tape/durable-file.ts";
import { fileError } from "../tape/file-error.ts";
import { editYaml } from "./config-edit.ts";

/** One value to be set. */
export interface ConfigChange {
  /** Keys from the outside in: `["providers", "lab"]`. */
  readonly path: readonly string[];
  readonly value: JsonValue;
}

export class ConfigFile {
  readonly path: string;

  /** @param home `BUB_HOME` */
  constructor(home: string) {
    this.path = join(home, "config.yml");
  }

  /**
   * Where the file really is when it is a link; undefined for a plain file or none.
   * @throws BubError `config` for a link that leads nowhere, a folder or a device
   */
  async target(): Promise<string | undefined> {
    await this.#read();
    const real = await realpath(this.path).catch(() => undefined);
    const expected = await realpath(dirname(this.path)).catch(() => undefined);
    return real === undefined || expected === undefined || real === join(expected, "config.yml") ? undefined : real;
  }

  /**
   * Sets values in the file as it is now, readable by its owner only afterwards. Files and folders that are missing are made.
   * @throws BubError `config` naming the file, which is then as it was: for one that is not understood or cannot be written
   */
  async apply(changes: readonly ConfigChange[]): Promise<void> {
    const before = await this.#read();
    const after = await this.#changed(before ?? "", changes);
    try {
      if (before === undefined) await writeDurably(this.path, after);
      else {
        // First: a key must not be readable by others even for a moment.
        if (((await stat(this.path)).mode & 0o077) !== 0) await chmod(this.path, 0o600);
        await replaceFile(this.path, Buffer.from(after));
      }
    } catch (error) {
      throw fileError("write", this.path, error);
    }
  }

  async #read(): Promise<string | undefined> {
    try {
      return (await readRegularFile(this.path)).toString("utf8");
    } catch (error) {
      const isMissing = codeOf(error) === "ENOENT";
      if (isMissing && (await isNothing(this.path))) return undefined;
      const why = isMissing ? "it is a link that leads nowhere" : reasonOf(error);
      throw new BubError("config", `${this.path} cannot be read: ${why}.`, { cause: error });
    }
  }

  async #changed(text: string, changes: readonly ConfigChange[]): Promise<string> {
    const yaml = await import("yaml");
    let changed = text;
    for (const { path, value } of changes) {
      let edited: string | undefined;
      try {
        edited = editYaml(changed, path, value, yaml);
      } catch (error) {
        throw this.#untouched(`is not valid YAML: ${messageOf(error).split("\n")[0]?.replace(/:$/, "")}`);
      }
      if (edited === undefined)
        throw this.#untouched(`has no room for ${path.join(".")}: what stands there does not hold keys and values`);
      changed = edited;
    }
    return changed;
  }

  #untouched(why: string): BubError {
    return new BubError("config", `${this.path} ${why}: nothing was written.`);
  }
}

/** True where not even a link stands. */
async function isNothing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error) => codeOf(error) === "ENOENT",
  );
}
