// A real terminal for tests: a tmux server of its own, with one pane that a command runs in.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Pane extends Disposable {
  /** What stands on the screen, without trailing blanks; with `colours`, as escape sequences. */
  screen(options?: { colours?: boolean }): string;
  /** All that was ever shown and the screen, with wrapped lines joined. */
  scrollback(): string;
  resize(columns: number, rows: number): void;
  /** Pastes text as a terminal does when the program asked for brackets. */
  paste(text: string): void;
  /** Resolves with the screen once it fits. */
  until(fits: RegExp): Promise<string>;
  /** Types text as it is. */
  type(text: string): void;
  /** Presses keys by tmux's names: `Enter`, `C-c`. */
  press(...keys: string[]): void;
}

export interface PaneOptions {
  env: Record<string, string | undefined>;
  cwd: string;
  columns?: number;
  rows?: number;
}

/** The pane stays after the command's end, with `[exit <code>]` below its output. */
export function openPane(command: readonly string[], { env, cwd, columns = 80, rows = 40 }: PaneOptions): Pane {
  const folder = mkdtempSync(join(tmpdir(), "bub-tmux-"));
  // A pane sees what its test gives it; whoever runs the tests may want no colours.
  const own = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined };
  const tmux = (...words: string[]): string =>
    execFileSync("tmux", ["-S", join(folder, "socket"), "-f", "/dev/null", ...words], {
      encoding: "utf8",
      cwd,
      env: own,
    });
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : ["-e", `${name}=${value}`],
  );
  const line = `trap : INT; ${command.map(quoted).join(" ")}; echo "[exit $?]"; exec cat`;
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), ...variables, "sh", "-c", line);
  const screen: Pane["screen"] = ({ colours = false } = {}) =>
    tmux("capture-pane", "-p", ...(colours ? ["-e"] : [])).trimEnd();
  return {
    screen,
    scrollback: () => tmux("capture-pane", "-p", "-J", "-S", "-").trimEnd(),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    paste(text) {
      const file = join(folder, "paste");
      writeFileSync(file, text);
      tmux("load-buffer", file);
      tmux("paste-buffer", "-p");
    },
    type: (text) => void tmux("send-keys", "-l", text),
    press: (...keys) => void tmux("send-keys", ...keys),
    async until(fits) {
      for (const end = Date.now() + 20_000; ; ) {
        const shown = screen();
        if (fits.test(shown)) return shown;
        if (Date.now() > end) throw new Error(`the screen never showed ${fits}:\n${shown}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    [Symbol.dispose]() {
      tmux("kill-server");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
