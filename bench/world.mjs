// Where rows run the real `bub`: a home and a workspace of their own, and the scripted server.
import { fork, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { now } from "./measure.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const cliFile = resolve(here, "../dist/cli.js");
export const distFile = (name) => resolve(here, "../dist", name);
export const benchFile = (name) => join(here, name);

/** Runs `work` with a world of its own, which is gone afterwards. */
export async function inWorld(work) {
  const folder = mkdtempSync(join(tmpdir(), "bub-bench-"));
  const server = fork(benchFile("model-server.mjs"), { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: [] });
  try {
    const [{ port }] = await once(server, "message");
    return await work(new World(folder, server, `http://127.0.0.1:${port}/v1`));
  } finally {
    server.disconnect();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class World {
  constructor(folder, server, url) {
    this.folder = folder;
    this.server = server;
    this.url = url;
    this.home = join(folder, "home");
    this.workspace = join(folder, "workspace");
    mkdirSync(this.workspace);
    const { PATH, TMPDIR } = process.env;
    this.env = {
      PATH,
      ...(TMPDIR !== undefined && { TMPDIR }),
      HOME: join(folder, "user"),
      BUB_HOME: this.home,
      BUB_MODEL: "local:test",
      BUB_LOCAL_API_BASE: url,
    };
  }

  /** What the server answers from now on; forgets what it has seen. */
  async plan(plan = { calls: 0 }) {
    this.server.send({ ask: "plan", plan });
    await once(this.server, "message");
  }

  /** Requests since the plan: `{ arrivedAt, answeredAt, bytes, share }`. */
  async seen() {
    this.server.send({ ask: "seen" });
    const [{ seen }] = await once(this.server, "message");
    return seen;
  }

  /** Runs `bub` to its end. Answers milliseconds, and when it was started. */
  bub(...words) {
    return this.node(cliFile, ...words);
  }

  /** Runs `node` with these arguments to its end. */
  node(...words) {
    const startedAt = now();
    const { stdout } = this.#run(process.execPath, words);
    return { startedAt, elapsedMs: now() - startedAt, stdout };
  }

  /** Milliseconds of any command. */
  elapsedOf(command, ...words) {
    const startedAt = now();
    this.#run(command, words);
    return now() - startedAt;
  }

  /** Peak memory of `bub` itself in MB, without its children. */
  peakOf(...words) {
    const file = join(this.folder, "peak");
    this.#run(process.execPath, ["--require", benchFile("peak-memory.cjs"), cliFile, ...words], {
      BENCH_PEAK_FILE: file,
    });
    return Number(readFileSync(file, "utf8")) / 1024 ** 2;
  }

  /** CPU milliseconds of `node` with these arguments and of every process that it waited for. */
  cpuOf(...words) {
    const timed = 'TIMEFORMAT="%U %S"; errors=$1; shift; time "$@" >/dev/null 2>"$errors"';
    const errors = join(this.folder, "errors");
    const { stderr } = this.#run("bash", ["-c", timed, "bash", errors, process.execPath, ...words]);
    const [user, system] = stderr.trim().split(" ").map(Number);
    return (user + system) * 1000;
  }

  tapeFile(session = "cli:local") {
    return join(this.home, "tapes", `${nameOf(realpathSync(this.workspace))}__${nameOf(session)}.jsonl`);
  }

  #run(command, words, more) {
    const done = spawnSync(command, words, {
      cwd: this.workspace,
      env: { ...this.env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      maxBuffer: 1024 ** 3,
    });
    if (done.error) throw done.error;
    if (done.status === 0) return done;
    throw new Error(`${command} ${words.join(" ")} ended with ${done.status ?? done.signal}\n${done.stderr}`);
  }
}

/** How tapes name the workspace and the session that they belong to. */
function nameOf(text) {
  return createHash("md5").update(text, "utf8").digest("hex").slice(0, 16);
}

/** Milliseconds between each answer and the next request. */
export function gapsOf(seen) {
  return seen.slice(1).map(({ arrivedAt }, index) => arrivedAt - seen[index].answeredAt);
}
