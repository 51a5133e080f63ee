// An environment in memory: files that touch nothing on the host, and no processes.
import { posix } from "node:path";
import { BubError } from "../base/errors.ts";
import type {
  CodeOutcome,
  CodeRequest,
  Environment,
  FileStat,
  LineRange,
  ReadOptions,
  ShellProcess,
} from "./environment.ts";
import { resolvePath } from "./paths.ts";
import { decodeText, encodeText, LineSlicer } from "./text-lines.ts";

export interface MemoryEnvironmentOptions {
  /** Content by path, relative ones below the workspace. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Default `/workspace`; null: none. */
  workspace?: string | null;
  python?: string;
  /** Runs code in place of Python, which this environment does not have. */
  runCode?: Environment["runCode"];
}

/** Files in memory, for tests; `~` is `/home/user`. */
export function createMemoryEnvironment(options: MemoryEnvironmentOptions = {}): MemoryEnvironment {
  return new MemoryEnvironment(options);
}

export class MemoryEnvironment implements Environment {
  readonly workspace: string | undefined;
  readonly python: string;
  readonly #files = new Map<string, Uint8Array>();
  readonly #runCode: Environment["runCode"] | undefined;

  constructor({ files = {}, workspace = "/workspace", python = "python3", runCode }: MemoryEnvironmentOptions) {
    this.workspace = workspace ?? undefined;
    this.python = python;
    this.#runCode = runCode;
    for (const [path, content] of Object.entries(files)) {
      this.#files.set(this.resolvePath(path), typeof content === "string" ? Buffer.from(content) : content);
    }
  }

  /** Every file's bytes by absolute path, sorted. */
  get files(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.#files].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  async spawn(): Promise<ShellProcess> {
    throw new BubError("config", "this environment has files only: it runs no processes");
  }

  async endShells(): Promise<void> {}

  async readFile(path: string, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    return this.#existing(path);
  }

  async readText(path: string, { signal }: ReadOptions = {}): Promise<string> {
    signal?.throwIfAborted();
    return decodeText(this.#existing(path), this.resolvePath(path)).text;
  }

  async readLines(path: string, range: LineRange, { signal }: ReadOptions = {}): Promise<string> {
    signal?.throwIfAborted();
    const slicer = new LineSlicer(range);
    slicer.push(this.#existing(path));
    return slicer.text(this.resolvePath(path));
  }

  async writeText(path: string, text: string, { signal }: ReadOptions = {}): Promise<string> {
    signal?.throwIfAborted();
    const resolved = this.resolvePath(path);
    this.#refuseDirectories(resolved);
    this.#files.set(resolved, encodeText(text, false));
    return resolved;
  }

  async editText(path: string, change: (text: string) => string, { signal }: ReadOptions = {}): Promise<string> {
    signal?.throwIfAborted();
    const resolved = this.resolvePath(path);
    const { text, hasBom } = decodeText(this.#existing(path), resolved);
    this.#files.set(resolved, encodeText(change(text), hasBom));
    return resolved;
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const resolved = this.resolvePath(path);
    const bytes = this.#files.get(resolved);
    if (bytes !== undefined) return { kind: "file", size: bytes.length };
    return this.#isDirectory(resolved) ? { kind: "directory", size: 0 } : undefined;
  }

  resolvePath(path: string): string {
    return resolvePath(path, { workspace: this.workspace, userHome: "/home/user" });
  }

  async runCode(request: CodeRequest): Promise<CodeOutcome> {
    if (this.#runCode === undefined) throw new BubError("config", "code mode is not available in this environment");
    return this.#runCode(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #existing(path: string): Uint8Array {
    const resolved = this.resolvePath(path);
    const bytes = this.#files.get(resolved);
    if (bytes !== undefined) return bytes;
    if (this.#isDirectory(resolved)) throw isDirectory(resolved);
    throw new BubError("not_found", `cannot read '${resolved}': it does not exist`);
  }

  /** A folder is there when a file is below it, or when it is the workspace. */
  #isDirectory(path: string): boolean {
    if (path === "/" || path === this.workspace) return true;
    return [...this.#files.keys()].some((file) => file.startsWith(`${path}/`));
  }

  #refuseDirectories(path: string): void {
    if (this.#isDirectory(path)) throw isDirectory(path);
    for (let parent = posix.dirname(path); parent !== "/"; parent = posix.dirname(parent)) {
      if (this.#files.has(parent)) {
        throw new BubError("not_found", `cannot write '${path}': a part of the path is not a directory`);
      }
    }
  }
}

function isDirectory(path: string): BubError {
  return new BubError("invalid_input", `'${path}' is a directory`);
}
