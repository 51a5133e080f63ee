// A small process that outlives this one by a moment: when we are gone, however we went, it ends the recorded shells.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Reads its stdin, a pipe that only we hold, to the end. Then each group of the record that is still proven by one of
 * its processes gets TERM and up to half a second later KILL, and so does whoever carries the mark of a recorded shell.
 * A record that is gone by then says that there is nothing to end. Where marks cannot be read (no /proc, a `grep`
 * without -z) the record stays, and the next start ends what is left.
 */
const script = `
record=$1
while read -r _; do :; done
rm -rf "$record".pipes-*
[ -f "$record" ] || exit 0

look_at() {
  group= started=
  if [ -d /proc/self ]; then
    read -r stat <"/proc/$1/stat" || return
    set -- \${stat##*") "}
    case $1 in Z | X) return ;; esac
    group=$3 started=\${20}
  else
    set -- $(LC_ALL=C TZ=UTC ps -o pgid=,lstart= -p "$1")
    group=$1
    shift
    started=$*
  fi
}

groups=
while read -r _ leader pid start; do
  [ -n "$start" ] || continue
  look_at "$pid"
  [ "$group" = "$leader" ] && [ "$started" = "$start" ] || continue
  case " $groups " in *" $leader "*) ;; *) groups="$groups $leader" ;; esac
done <"$record"

marked() {
  sed -n 's/^\\(bsh-[0-9a-f]*\\).*/BUB_SHELL_ID=\\1/p' "$record" | sort -u | grep -lazxF -f - /proc/[0-9]*/environ
}

signal() {
  left= living=
  for group in $groups; do
    kill -s "$1" -- "-$group" && left=1 living="$living $group"
  done
  groups=$living
  for environ in $(marked); do
    pid=\${environ#/proc/}
    kill -s "$1" "\${pid%/environ}" && left=1
  done
}

signal TERM
for _ in 1 2 3 4 5; do
  [ -n "$left" ] || break
  sleep 0.1 || sleep 1
  signal 0
done
for _ in 1 2 3 4 5 6 7 8 9 10; do
  signal KILL
  [ -n "$left" ] || break
  sleep 0.1 || sleep 1
done
[ -r /proc/self/environ ] && printf 'a\\0' | grep -qazxF a && rm -f "$record"
`;

export class Watchdog {
  readonly #process: ChildProcess;

  /** Starts watching. It does not keep this process from ending. */
  constructor(recordPath: string) {
    // Its own session: neither a terminal's Ctrl-C nor the end of a group takes it along. No mark: no sweep ends it.
    this.#process = spawn("sh", ["-c", script, "bub-watchdog", recordPath], {
      detached: true,
      cwd: "/",
      env: { PATH: process.env.PATH },
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#process.on("error", () => undefined);
    this.#process.stdin?.on("error", () => undefined);
    this.#process.unref();
    (this.#process.stdin as { unref?(): void } | null)?.unref?.();
  }

  /** False once it ended or when it could not be started. */
  get isRunning(): boolean {
    return this.#process.pid !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Lets it go; it does its work first when there is a record. */
  async close(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#process, "exit");
    this.#process.ref();
    this.#process.stdin?.end();
    await exited;
  }
}
