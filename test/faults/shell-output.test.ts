// Long output, full disks, too few file descriptors.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { long } from "../support/requirements.ts";
import { answerOf, newPlace, startWorker, workerCommand } from "./shell-processes.ts";
import { answersOf, startCommand } from "./worker-process.ts";

const MiB = 1024 * 1024;

describe("T2.8 a flood of output", () => {
  test(
    `T2.8 ${long ? "1 GiB" : "64 MiB"} cost less than 64 MiB and three times the time of writing it to a file`,
    async () => {
      const bytes = long ? 1024 * MiB : 64 * MiB;
      const place = newPlace();
      mkdirSync(place.home);
      const command = `yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c ${bytes}`;
      const { bare, ours, growth, length, middle } = await answerOf<{
        bare: number;
        ours: number;
        growth: number;
        length: number;
        middle: string;
      }>(startWorker("flood", place, command));
      expect(length).toBe(bytes);
      expect(middle).toMatch(/^[0-9a-z\n]{36}$/);
      expect(growth).toBeLessThan(64 * MiB);
      // The short form runs beside other tests, on as many cores as it has processes.
      expect(ours).toBeLessThan((long ? 3 : 6) * bare);
    },
    long ? 600_000 : 60_000,
  );
});

const inSmallDisk = (size: string, folder: string, command: readonly string[]) => [
  "unshare",
  "-rm",
  "sh",
  "-c",
  `mount -t tmpfs -o size=${size} none "$0" && exec "$@"`,
  folder,
  ...command,
];

describe("T2.8 a full disk", () => {
  test("T2.8 while output is stored: the shell goes on, both ends are kept, and the gap says why", async () => {
    const place = newPlace();
    mkdirSync(place.home);
    const command = "echo begin; yes | head -c 6000000; echo end; exit 3";
    const [answer] = await answersOf<{ exitCode: number; text: string; gap: string; problems: string[] }>(
      startCommand(inSmallDisk("2m", place.home, workerCommand("run", place, command))),
    );
    expect(answer?.exitCode).toBe(3);
    expect(answer?.text).toMatch(/^begin\ny\n.*…(y\n)+end\n$/s);
    expect(answer?.gap).toMatch(/^\[\d+ characters dropped\]\n\[output could not be stored: ENOSPC.*\]$/s);
    expect(answer?.problems).toHaveLength(1);
  });

  test("T3.4 while a file is written: the old text stays, no temporary file, a clear error", async () => {
    const place = newPlace();
    writeFileSync(join(place.workspace, "outside"), "");
    const command = workerCommand("write", place, "500000");
    const script = `mount -t tmpfs -o size=200k none "$0" && cd "$0" && echo old >file && "$@"; cat file; ls -A`;
    const worker = startCommand(["unshare", "-rm", "sh", "-c", script, place.workspace, ...command]);
    const output: Buffer[] = [];
    for await (const chunk of worker.stdout) output.push(chunk as Buffer);
    const [answer, ...rest] = Buffer.concat(output).toString().trim().split("\n");
    const message = `cannot write '${join(place.workspace, "file")}': no space left on the disk`;
    expect(JSON.parse(answer as string)).toEqual({ kind: "tool", message });
    expect(rest).toEqual(["old", "file"]);
  });

  test("T3.4 where a rename is refused (a mounted file): in place, no temporary file", async () => {
    const place = newPlace();
    const script = `cd "$0" && echo old >source && : >file && mount --bind source file && "$@" && cat source && echo && ls -A`;
    const worker = startCommand([
      "unshare",
      "-rm",
      "sh",
      "-c",
      script,
      place.workspace,
      ...workerCommand("write", place, "5"),
    ]);
    const output: Buffer[] = [];
    for await (const chunk of worker.stdout) output.push(chunk as Buffer);
    expect(Buffer.concat(output).toString().trim().split("\n")).toEqual(['"written"', "nnnnn", "file", "source"]);
  });
});

describe("T2.9 too few file descriptors", () => {
  test("T2.9 a clear error, and shells start again once others are gone", async () => {
    const place = newPlace();
    const [failure, exit] = await answersOf<{ kind: string; message: string }>(
      startCommand(["sh", "-c", 'ulimit -n 60; exec "$@"', "sh", ...workerCommand("crowd", place)]),
    );
    expect(failure).toMatchObject({ kind: "temporary" });
    expect(failure?.message).toMatch(/could (not be started|be made).*EMFILE/);
    expect(exit).toEqual({ exitCode: 7 });
  });

  test("T2.9 a home that is no folder: commands run, long output keeps its ends", async () => {
    const place = newPlace();
    writeFileSync(place.home, "a file");
    const [answer] = await answersOf<{ exitCode: number; text: string; gap: string }>(
      startWorker("run", place, "echo begin; yes | head -c 3000000; echo end"),
    );
    expect(answer).toMatchObject({ exitCode: 0 });
    expect(answer?.text).toMatch(/^begin\n.*end\n$/s);
    expect(answer?.gap).toContain("ENOTDIR");
    expect(readFileSync(place.home, "utf8")).toBe("a file");
  });

  test("T2.9 a clean end leaves no record", async () => {
    const place = newPlace();
    await answersOf(startWorker("run", place, "sleep 300 & true"));
    expect(readdirSync(join(place.home, "shells"))).toEqual([]);
  });
});
