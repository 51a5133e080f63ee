// `bub demo`: one turn on a sample project, with real tools and a real tape; only the model's words are written beforehand.
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { styled } from "../../base/text-output.ts";
import { TurnPrinter } from "../../base/turn-printer.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { CommandContext } from "../command-context.ts";
import { projectFiles } from "../demo/project.ts";
import { demoScript, question } from "../demo/script.ts";
import { openRuntime } from "../open-runtime.ts";

const session = { channel: "cli", chatId: "local", sessionId: "cli:local" };

/** Answers 0 when the turn ended well and the tests pass. Everything stays in a temporary folder, for whoever wants to look. */
export async function runDemo(_words: readonly string[], _options: object, context: CommandContext): Promise<number> {
  const { stdout, stop } = context;
  const folder = await prepare(stdout.isTerminal ? 25 : 0);
  const { home, project } = folder;
  const env = demoEnvironment(context.env, home);
  const options = { workspace: project, model: `scripted:${folder.script}` };
  await using runtime = await openRuntime({ ...context, env, options });
  stdout.write(
    `A scripted turn with real tools on a copy of a small project. Only the model's words are written beforehand.\n\n`,
  );
  stdout.write(`${styled(stdout, "bold", `> ${question}`)}\n\n`);
  const isFixed = await runTurn(runtime, context);
  stdout.write(renderEnd(runtime, folder));
  if (stop.signal.aborted) return stop.exitCode ?? 130;
  return isFixed ? 0 : 1;
}

interface DemoFolder {
  home: string;
  project: string;
  script: string;
}

async function prepare(wordDelayMs: number): Promise<DemoFolder> {
  const folder = await mkdtemp(join(tmpdir(), "bub-demo-"));
  const project = join(folder, "project");
  for (const [name, text] of Object.entries(projectFiles)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify(demoScript(wordDelayMs), null, 2));
  return { home: join(folder, "home"), project, script };
}

/** The person's settings stay out of it, and the shell finds the Node that runs this. */
function demoEnvironment(env: CommandContext["env"], home: string): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("BUB_") && name !== "FORCE_COLOR");
  const path = [dirname(process.execPath), env.PATH].filter(Boolean).join(delimiter);
  return { ...Object.fromEntries(kept), BUB_HOME: home, PATH: path, NO_COLOR: "1" };
}

async function runTurn(runtime: Runtime, { stdout, stop }: CommandContext): Promise<boolean> {
  using printer = new TurnPrinter({
    answers: stdout,
    progress: stdout,
    showsProgress: true,
    streams: true,
    resultLines: 14,
  });
  let testsPass = false;
  let isOk = false;
  for await (const event of runtime.run({ ...session, content: question }, { signal: stop.signal })) {
    printer.show(event);
    if (event.type === "tool-result" && event.name === "bash") testsPass = event.text.includes("fail 0");
    if (event.type === "final") isOk = event.ok;
  }
  return isOk && testsPass;
}

function renderEnd(runtime: Runtime, { home, project }: DemoFolder): string {
  const command = `BUB_HOME=${quoted(home)} ${ownCommand()} tape show -w ${quoted(project)}`;
  return [
    "",
    "Everything that happened stands on a tape, one JSON object a line:",
    `  ${runtime.storage.tapes.locate(runtime.tapeIdOf(session.sessionId))}`,
    "To look at it:",
    `  ${command}`,
    "To go on with a model of your own:",
    `  ${ownCommand()} onboard`,
    "",
  ].join("\n");
}

/** How this program was started. */
function ownCommand(): string {
  const [, script = "bub"] = process.argv;
  return basename(script) === "bub" ? "bub" : `node ${quoted(script)}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
