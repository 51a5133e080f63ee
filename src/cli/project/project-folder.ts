// The folder of the plugin project: made when it is needed, changed by one process at a time, put back when a change fails.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sentencesOf } from "../../base/errors.ts";
import type { TapeId } from "../../base/ids.ts";
import { ownPackage, projectFolder, readDependencies } from "../../base/installed-packages.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { silentLogger } from "../../base/log.ts";
import { childEnvironment } from "../../environment/child-environment.ts";
import { ownFolder } from "../../kernel/plugin-project.ts";
import { homeOf } from "../../kernel/settings.ts";
import { providerKeyVariables } from "../../model/key-variables.ts";
import { ensureFolder, replaceFile } from "../../tape/durable-file.ts";
import { fileError, orFileError } from "../../tape/file-error.ts";
import { FileLeases } from "../../tape/lease.ts";
import { systemWorld } from "../../tape/lease-record.ts";
import type { CommandContext } from "../command-context.ts";
import { runNpm } from "./npm.ts";

/** The project while this process alone may change it. Dispose it. */
export interface OpenProject extends AsyncDisposable {
  readonly home: string;
  readonly folder: string;
  /** What npm sees: scripts of packages have no business with the keys of models. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Runs npm, then `check`. When either fails, or the command is cancelled, the project is as it was before.
   * @throws what npm or `check` throws, or the signal's reason
   */
  change<Result>(npm: NpmWords, check: () => Promise<Result>): Promise<Result>;
}

export interface NpmWords {
  /** The command and its options. */
  readonly command: readonly string[];
  /** Never read as options. */
  readonly words: readonly string[];
}

/** Whether there is one: looking for packages makes none. */
export function hasProject(home: string): boolean {
  return existsSync(join(projectFolder(home), "package.json"));
}

/** Milliseconds that putting things back may take once nobody waits for it any more. */
const repairMs = 60_000;

/**
 * Opens the project, and makes it where there is none. Waits for another process that changes it, and puts right what one
 * that was killed has left.
 * @throws BubError `config` when the folder cannot be used, or the signal's reason
 */
export async function openProject({ env: own, stderr, stop }: CommandContext): Promise<OpenProject> {
  const home = homeOf(own);
  const keyVariables = [...providerKeyVariables, "BUB_PROVIDERS", "BUB_CLIENT_ARGS"];
  const env = childEnvironment({ env: own, keyVariables });
  const folder = projectFolder(home);
  orFileError("make the folder", folder, () => ensureFolder(folder));
  const { signal } = stop;
  const lease = await leasesIn(folder).acquire("install" as TapeId, {
    sessionId: "the plugin project",
    signal,
    onWait: ({ pid }) => stderr.write(`Waiting for another bub, process ${pid}, that changes the plugin project …\n`),
  });
  try {
    const kept = new KeptFiles(folder);
    const putBack = async () => {
      kept.restore();
      await writeManifest(home);
      stderr.write("Putting the plugin project back as it was …\n");
      try {
        const limit = AbortSignal.timeout(repairMs);
        await runNpm(["install", "--prefer-offline"], [], { folder, env, stderr, signal: limit });
        kept.drop();
      } catch (error) {
        stderr.write(`bub: It is not quite as it was. ${sentencesOf(error)} The next bub install tries again.\n`);
      }
    };
    if (kept.exist()) {
      stderr.write("An earlier change of the plugin project was interrupted.\n");
      await putBack();
    } else await writeManifest(home);
    return {
      home,
      folder,
      env,
      async change({ command, words }, check) {
        orFileError("keep what stands in", folder, () => kept.take());
        let isWhole = true;
        let isKilled = false;
        const onKill = () => {
          isKilled = true;
        };
        try {
          await runNpm(command, words, { folder, env, stderr, signal, onKill });
          isWhole = false;
          const result = await check();
          signal.throwIfAborted();
          kept.drop();
          return result;
        } catch (error) {
          if (isKilled) {
            // An npm that hangs would hang again.
            kept.restore();
            stderr.write("npm did not stop by itself; the next bub install puts the plugin project in order.\n");
          }
          // What npm had begun and could not do it has undone by itself.
          else if (isWhole && kept.areSame()) kept.drop();
          else await putBack();
          throw error;
        }
      },
      [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
    };
  } catch (error) {
    await lease[Symbol.asyncDispose]();
    throw error;
  }
}

function leasesIn(folder: string): FileLeases {
  return new FileLeases({ folder, world: systemWorld(), log: silentLogger });
}

/** Makes package.json, or lets it name this very program as `bub`, so that no registry's package of that name gets in. */
async function writeManifest(home: string): Promise<void> {
  const file = join(projectFolder(home), "package.json");
  const dependencies = await readDependencies(home);
  const root = ownFolder();
  const own = root === undefined ? undefined : `file:${root}`;
  if (existsSync(file) && dependencies[ownPackage] === own) return;
  const old = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  const manifest: JsonObject = {
    ...(isJsonObject(old)
      ? old
      : { name: "bub-project", private: true, description: "Plugins that bub install has installed." }),
    dependencies: { ...dependencies, ...(own !== undefined && { [ownPackage]: own }) },
  };
  try {
    await replaceFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  } catch (error) {
    throw fileError("write", file, error);
  }
}

const manifests = ["package-lock.json", "package.json"] as const;

/** The project's manifests as they were before a change, in a folder that is there for as long as the change is not over. */
class KeptFiles {
  readonly #folder: string;
  readonly #kept: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#kept = join(folder, ".before");
  }

  exist(): boolean {
    return existsSync(this.#kept);
  }

  take(): void {
    const aside = `${this.#kept}.tmp`;
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(aside, { mode: 0o700 });
    for (const name of manifests) {
      const file = join(this.#folder, name);
      if (existsSync(file)) copyFileSync(file, join(aside, name));
    }
    rmSync(this.#kept, { recursive: true, force: true });
    renameSync(aside, this.#kept);
  }

  /** True when the manifests stand as they did. */
  areSame(): boolean {
    return manifests.every((name) => textOf(join(this.#kept, name)) === textOf(join(this.#folder, name)));
  }

  /** By renames, which need no room on the disk; package.json last: until then this can be done again. */
  restore(): void {
    if (!existsSync(join(this.#kept, "package.json"))) return;
    for (const name of manifests) {
      const kept = join(this.#kept, name);
      if (existsSync(kept)) renameSync(kept, join(this.#folder, name));
      else rmSync(join(this.#folder, name), { force: true });
    }
  }

  drop(): void {
    rmSync(this.#kept, { recursive: true, force: true });
  }
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
