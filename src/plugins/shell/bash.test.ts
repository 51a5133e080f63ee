import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { missing } from "../../../test/support/requirements.ts";
import { eventually, markedProcesses, shellWorld } from "../../../test/support/shell-world.ts";
import { CancelledError } from "../../base/abort.ts";
import { isAlive } from "../../base/processes.ts";

describe("T2.1 how a command runs", () => {
  test.skipIf(missing("bash"))("T2.1 in bash where it is on PATH (needs bash)", async () => {
    expect(await shellWorld().bash(`echo $0 \${BASH_VERSION:+yes}`)).toBe("bash yes");
  });

  test("T2.1 else in sh", async () => {
    const world = shellWorld({ env: { ...process.env, PATH: "/nonexistent" } });
    expect(await world.bash("echo $0 $PATH")).toBe("sh /nonexistent");
  });

  test("T2.1 with its stdin closed and in its own process group, which it leads", async () => {
    const { bash } = shellWorld();
    expect(await bash("cat; read -r line || echo no input")).toBe("no input");
    const [pid, group] = (await bash("echo $$ $(ps -o pgid= -p $$)")).split(/\s+/);
    expect(pid).toBe(group);
  });

  test("T2.1 both streams come through one pipe in the order of writing", async () => {
    const { bash } = shellWorld();
    const text = await bash("for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done");
    expect(text.split("\n")).toEqual([1, 2, 3, 4, 5].flatMap((i) => [`out${i}`, `err${i}`]));
    expect(
      await bash("test -p /dev/stdout && test -p /dev/stderr && [ /dev/stdout -ef /dev/stderr ] && echo same"),
    ).toBe("same");
  });

  test("T2.1 tee /dev/stderr works", async () => {
    expect(await shellWorld().bash("echo twice | tee /dev/stderr")).toBe("twice\ntwice");
  });

  test("T2.1 the command text is not prefixed", async () => {
    const { bash } = shellWorld();
    expect(await bash("echo $LINENO")).toBe("1");
    await expect(bash("-no-such-command")).rejects.toThrow(/^command exited with code 127\n/);
    expect(await bash("tr '\\0' '|' </proc/$$/cmdline")).toMatch(/bash\|-c\|tr /);
  });

  test("T2.1 in the workspace, or in cwd as the environment resolves it", async () => {
    const { bash, workspace } = shellWorld();
    mkdirSync(join(workspace, "inner"));
    expect(await bash("pwd")).toBe(workspace);
    expect(await bash("pwd", { cwd: "inner" })).toBe(join(workspace, "inner"));
    expect(await bash("pwd", { cwd: "/" })).toBe("/");
    await expect(bash("pwd", { cwd: "missing" })).rejects.toMatchObject({
      kind: "not_found",
      message: `the shell could not be started: there is no directory '${join(workspace, "missing")}'`,
    });
  });

  test.skipIf(process.getuid?.() === 0)(
    "T2.1 a cwd that may not be entered is named (needs a user who is not root)",
    async () => {
      const { bash, workspace } = shellWorld();
      mkdirSync(join(workspace, "closed"), { mode: 0 });
      await expect(bash("pwd", { cwd: "closed" })).rejects.toMatchObject({
        message: `the shell could not be started: '${join(workspace, "closed")}' may not be entered`,
      });
    },
  );

  test("T2.1 timeout_seconds may be fractional; zero or less is invalid", async () => {
    const { bash } = shellWorld();
    expect(await bash("sleep 5", { timeout_seconds: 0.1 })).toMatch(/^command timed out after 0.1 seconds/);
    for (const seconds of [0, -1]) {
      await expect(bash("true", { timeout_seconds: seconds })).rejects.toMatchObject({ kind: "invalid_input" });
    }
    expect(await bash("echo on", { timeout_seconds: 1e12 })).toBe("on");
  });

  test("T2.1 a command that no system takes is an error that says why", async () => {
    const { bash } = shellWorld();
    await expect(bash(`: ${"x".repeat(200_000)}`)).rejects.toMatchObject({
      kind: "invalid_input",
      message: "the shell could not be started: the command is too long",
    });
    await expect(bash("echo a\0b")).rejects.toMatchObject({ kind: "invalid_input" });
    expect(await bash("echo still works")).toBe("still works");
  });

  test("T1.4 a shell sees the mark and the owner, and no key", async () => {
    const world = shellWorld({ env: { ...process.env, BUB_API_KEY: "secret", MARK: "seen" } });
    const text = await world.bash(`echo $BUB_SHELL_ID $BUB_OWNER $MARK \${BUB_API_KEY-none}`);
    expect(text).toMatch(new RegExp(`^bsh-[0-9a-f]{8} ${process.pid} seen none$`));
  });
});

describe("T2.2 how a command ends", () => {
  test("T2.2 exit 0: the output, trimmed at both ends, or (no output)", async () => {
    const { bash, call } = shellWorld();
    expect(await bash("printf '\\n  a\\n b \\n\\n'")).toBe("a\n b");
    expect(await bash("true")).toBe("(no output)");
    expect(await bash("printf ' \\n '")).toBe("(no output)");
    expect((await call("bash", { command: "echo hi" })).value).toEqual({
      status: "exited",
      exit_code: 0,
      output: "hi",
    });
  });

  test("T2.2 non-zero: a tool error with code and output", async () => {
    const { bash } = shellWorld();
    await expect(bash("echo ' why'; exit 3")).rejects.toMatchObject({
      kind: "tool",
      message: "command exited with code 3\noutput:\nwhy",
    });
    await expect(bash("exit 1")).rejects.toThrow("command exited with code 1\noutput:\n(no output)");
  });

  test("T2.2 killed by a signal: a negative number and the signal's name", async () => {
    await expect(shellWorld().bash("echo last words; kill -9 $$")).rejects.toThrow(
      "command exited with code -9 (SIGKILL)\noutput:\nlast words",
    );
  });
});

describe("T2.3 the foreground time-out", () => {
  test("T2.3 the command goes on in the background, and its output can be read on", async () => {
    const { call, workspace } = shellWorld();
    const { value, text } = await call("bash", {
      command: "echo café; until [ -e go ]; do sleep 0.02; done; echo done",
      timeout_seconds: 0.3,
    });
    const id = value.shell_id as string;
    expect(text).toBe(
      `command timed out after 0.3 seconds; continuing in background\nshell_id: ${id}\nnext_offset: 5\noutput:\ncafé\n`,
    );
    expect(value).toEqual({ status: "running", exit_code: null, output: "café\n", shell_id: id });
    expect((await call("bash.output", { shell_id: id })).value).toMatchObject({ status: "running", exit_code: null });

    await call("bash", { command: `touch ${workspace}/go` });
    await eventually(async () => (await call("bash.output", { shell_id: id })).value.status === "exited");
    expect((await call("bash.output", { shell_id: id, offset: 5 })).value.output).toBe("done\n");
  });

  test("T2.3 a time-out on a shell that left a job does not wait for the job", async () => {
    const { bash } = shellWorld();
    expect(await bash("sleep 300 & echo done", { timeout_seconds: 20 })).toBe("done");
  });

  test("T2.3 a command that ends in the same instant is reported as finished", async () => {
    const { bash, workspace } = shellWorld();
    for (let round = 0; round < 5; round++) {
      const go = join(workspace, `go${round}`);
      const running = bash(`until [ -e ${go} ]; do sleep 0.01; done; echo finished`, { timeout_seconds: 0.5 });
      await eventually(() => markedProcesses().length > 0);
      const due = performance.now() + 550;
      // Nothing is heard of while the loop is held up. Timers are next after an immediate, and only then the exit is seen.
      await new Promise<void>((resolve) => {
        setImmediate(() => {
          writeFileSync(go, "");
          while (markedProcesses().length > 0 || performance.now() < due);
          resolve();
        });
      });
      expect(await running).toBe("finished");
    }
  });
});

describe("T2.4 in the background", () => {
  test("T2.4 timeout_seconds is ignored whatever it says", async () => {
    const { call } = shellWorld();
    for (const seconds of [0, -1]) {
      const { text } = await call("bash", { command: "true", background: true, timeout_seconds: seconds });
      expect(text).toMatch(/^shell_id: bsh-[0-9a-f]{8}$/);
    }
  });

  test("T2.4 returns at once with a shell id; timeout_seconds is ignored", async () => {
    const { call } = shellWorld();
    const { value, text } = await call("bash", { command: "sleep 300", background: true, timeout_seconds: 0.001 });
    expect(value.shell_id).toMatch(/^bsh-[0-9a-f]{8}$/);
    expect(text).toBe(`shell_id: ${value.shell_id}`);
    expect(value).toEqual({ status: "running", exit_code: null, output: "", shell_id: value.shell_id });
  });
});

describe("T2.6 characters", () => {
  test("T2.6 café☕ written in two halves after byte 4 has no replacement character", async () => {
    const { bash } = shellWorld();
    const text = await bash("printf 'caf\\303'; sleep 0.1; printf '\\251\\342\\230'; sleep 0.1; printf '\\225'");
    expect(text).toBe("café☕");
  });

  test("T2.6 invalid UTF-8 becomes U+FFFD", async () => {
    expect(await shellWorld().bash("printf 'a\\377b\\303'")).toBe("a\uFFFDb\uFFFD");
  });
});

describe("T2.8 long results", () => {
  test("T2.8 over 1 MiB: both ends, the size and a shell that stays readable", async () => {
    const { call } = shellWorld();
    const command = "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last";
    const { value, text } = await call("bash", { command });
    expect(text).toMatch(/^first\nx+\n\[3000012 bytes in total: [^\]]*\]\nx+\nlast\nshell_id: bsh-[0-9a-f]{8}$/);
    expect(text.length).toBeLessThan(33_000);
    expect(text.length).toBeGreaterThan(32_768);
    const read = await call("bash.output", { shell_id: value.shell_id, offset: 2_999_990 });
    expect(read.value).toMatchObject({ status: "exited", exit_code: 0, next_offset: 3_000_012 });
    expect(read.value.output).toMatch(/^x+\nlast\n$/);

    await expect(call("bash", { command: `${command}; exit 4` })).rejects.toThrow(
      /^command exited with code 4\noutput:\nfirst\nx+\n\[3000012 bytes in total.*\]\nx+\nlast\nshell_id: bsh-/s,
    );
  });

  test("T2.8 200 KB arrive whole", async () => {
    const text = await shellWorld().bash("seq 1 40000; echo end");
    expect(text).toBe(`${Array.from({ length: 40_000 }, (_, index) => index + 1).join("\n")}\nend`);
  });
});

describe("T2.9 settling and descendants", () => {
  test("T2.9 sleep 300 & echo ok returns at the shell's exit", async () => {
    expect(await shellWorld().bash("sleep 300 & echo ok")).toBe("ok");
  });

  test("T2.9 a child that keeps printing does not extend the drain", async () => {
    const text = await shellWorld().bash("(while :; do echo noise; done) & sleep 0.05; echo ok");
    expect(text).toContain("ok");
  });

  test("T2.9 everything that the shell wrote itself is there when a descendant holds the pipe", async () => {
    const text = await shellWorld().bash("sleep 60 & seq 1 9000");
    expect(text.endsWith("\n9000")).toBe(true);
  });

  test("T2.9 output that waits in the pipe for a slow reader is not lost at the shell's exit", async () => {
    const { environment } = shellWorld();
    const shell = await environment.spawn("sleep 60 & echo first; sleep 0.2; seq 1 9000", {
      shellId: "bsh-00000003",
      sessionId: "cli:slow",
    });
    let text = "";
    shell.onOutput((chunk) => {
      text += Buffer.from(chunk).toString();
      // Never ready for more.
      return new Promise(() => undefined);
    });
    expect(await shell.exited).toEqual({ exitCode: 0 });
    expect(text.endsWith("\n9000\n")).toBe(true);
    await environment.endShells("cli:slow", 100);
  });

  test("T2.9 a shell that closes its pipes is waited for", async () => {
    const { bash, workspace } = shellWorld();
    expect(await bash("exec >&- 2>&-; sleep 0.2; : >end")).toBe("(no output)");
    expect(existsSync(join(workspace, "end"))).toBe(true);
  });

  test("T2.9 descendants go on, their output is dropped, and they end with the session's shells", async () => {
    const { bash, shells, workspace } = shellWorld();
    const [digits] = /\d+/.exec(await bash("(while :; do echo more; echo >>said; sleep 0.01; done) & echo $!")) ?? [];
    const pid = Number(digits);
    const apart = Number(
      await bash("setsid sh -c 'echo $$ >pid; exec sleep 300' & until [ -s pid ]; do sleep 0.01; done; cat pid"),
    );
    const said = () => statSync(join(workspace, "said")).size;
    const before = said();
    await eventually(() => said() > before + 2, "it goes on talking");
    expect([isAlive(pid), isAlive(apart)]).toEqual([true, true]);
    await shells.stopAll("cli:test", 500);
    expect([isAlive(pid), isAlive(apart)]).toEqual([false, false]);
  });

  test("T2.9 a daemon that left its mark behind stays", async () => {
    const { bash, shells } = shellWorld();
    const daemon = "env -u BUB_SHELL_ID -u BUB_OWNER setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1";
    const pid = Number(await bash(`${daemon} & until [ -s pid ]; do sleep 0.01; done; cat pid`));
    await shells.stopAll("cli:test", 500);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });
});

/** Where the open files of this process are. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      // Closed meanwhile, as the folder itself.
      return [];
    }
  });
}

describe("R1.7 cancelling", () => {
  test("R1.7 a foreground shell gets TERM, then KILL after half a second, and the call fails with the signal's reason", async () => {
    const { call, workspace } = shellWorld();
    const cancel = new AbortController();
    const running = call(
      "bash",
      { command: "trap '' TERM; : >deaf; while :; do sleep 0.05; done" },
      { signal: cancel.signal },
    );
    const outcome = running.catch((error: unknown) => error);
    await eventually(() => existsSync(join(workspace, "deaf")));
    const start = performance.now();
    const reason = new CancelledError("stop");
    cancel.abort(reason);
    expect(await outcome).toBe(reason);
    const waited = performance.now() - start;
    expect(waited).toBeGreaterThan(450);
    // The grace of `bash.kill` would be three seconds.
    expect(waited).toBeLessThan(2_900);
    expect(markedProcesses()).toEqual([]);
  });

  test("R1.7 a polite one ends at once, with all that it forked", async () => {
    const { call } = shellWorld();
    const cancel = new AbortController();
    const outcome = call("bash", { command: "sleep 60 & setsid sleep 60 & sleep 60" }, { signal: cancel.signal }).catch(
      () => "cancelled",
    );
    await eventually(() => markedProcesses().length >= 3);
    const kill = vi.spyOn(process, "kill");
    cancel.abort(new CancelledError());
    expect(await outcome).toBe("cancelled");
    const signals = kill.mock.calls.map(([, signal]) => signal);
    expect(signals).toContain("SIGTERM");
    expect(signals).not.toContain("SIGKILL");
    expect(markedProcesses()).toEqual([]);
  });

  test("R1.7 a descendant in a session of its own that ignores TERM is killed too", async () => {
    const { call, workspace } = shellWorld();
    const cancel = new AbortController();
    const command = `setsid sh -c 'trap "" TERM; : >deaf; while :; do sleep 0.05; done' & wait`;
    const outcome = call("bash", { command }, { signal: cancel.signal }).catch(() => "cancelled");
    await eventually(() => existsSync(join(workspace, "deaf")));
    cancel.abort(new CancelledError());
    expect(await outcome).toBe("cancelled");
    expect(markedProcesses()).toEqual([]);
  });

  test.skipIf(!existsSync("/proc/self/fd"))(
    "R1.7 what a cancelled command had written takes no more room on the disk (needs /proc)",
    async () => {
      const { call, home, workspace } = shellWorld();
      // The file has no name any more: who has it open tells where it was.
      const outputs = () => openFiles().filter((path) => path.startsWith(join(home, "shells", "output-")));
      const cancel = new AbortController();
      const command = "head -c 8000000 /dev/zero; : >written; sleep 300";
      const outcome = call("bash", { command }, { signal: cancel.signal }).catch(() => "cancelled");
      await eventually(() => existsSync(join(workspace, "written")));
      await eventually(() => outputs().length === 1, "its output on the disk");
      cancel.abort(new CancelledError());
      expect(await outcome).toBe("cancelled");
      await eventually(() => outputs().length === 0, "nothing of it left");
    },
  );

  test("R1.7 a call that was cancelled before starts nothing, and background shells go on", async () => {
    const { call } = shellWorld();
    const cancel = new AbortController();
    const { value } = await call("bash", { command: "sleep 60", background: true }, { signal: cancel.signal });
    cancel.abort(new CancelledError());
    await expect(call("bash", { command: "touch started" }, { signal: cancel.signal })).rejects.toThrow(CancelledError);
    expect((await call("bash.output", { shell_id: value.shell_id })).value.status).toBe("running");
  });
});

test("T1.2 without a workspace commands run in the person's folder and relative paths are refused", async () => {
  const { createLocalEnvironment } = await import("../../environment/local.ts");
  const { home } = shellWorld();
  await using environment = createLocalEnvironment({ home, userHome: home });
  expect(() => environment.resolvePath("a/b")).toThrow("relative path 'a/b' is not allowed without a workspace");
  const shell = await environment.spawn("pwd", { shellId: "bsh-00000001", sessionId: "s" });
  let text = "";
  shell.onOutput((chunk) => {
    text += Buffer.from(chunk).toString();
  });
  expect(await shell.exited).toEqual({ exitCode: 0 });
  expect(text.trim()).toBe(realpathSync(home));
});
