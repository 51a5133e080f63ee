// Runs a command in a terminal of its own: `script` of util-linux makes a pty, what is drawn on it comes through a pipe.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { now } from "./measure.mjs";

/** @param command words without quotes in them */
export function openTerminal(command, { env, cwd }) {
  const line = `stty cols 100 rows 30; exec ${command.join(" ")}`;
  const child = spawn("script", ["-qfec", line, "/dev/null"], { cwd, env: { ...env, TERM: "xterm-256color" } });
  const closed = once(child, "close");
  let drawn = "";
  let wake = () => undefined;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    // Somewhere on the right: where it really is would matter after a resize alone.
    const questions = text.split("\x1b[6n").length - 1;
    child.stdin.write("\x1b[20;100R".repeat(questions));
    drawn += text;
    wake();
  });
  return {
    type: (text) => child.stdin.write(text),
    /** Resolves when what fits is drawn, and forgets all until there. Answers when. */
    async until(pattern) {
      const limit = now() + 30_000;
      for (;;) {
        const found = pattern.exec(drawn);
        if (found !== null) {
          drawn = drawn.slice(found.index + found[0].length);
          return now();
        }
        if (now() > limit) throw new Error(`the terminal never showed ${pattern}:\n${drawn.slice(-2000)}`);
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, 1000);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    closed,
    kill: () => child.kill("SIGKILL"),
  };
}
