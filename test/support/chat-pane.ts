// `bub chat` in a real terminal, for tests: opened with scripted answers, typed into, looked at.
import { type CliWorld, cliFile } from "./run-cli.ts";
import { openPane, type Pane } from "./tmux.ts";

export interface ChatPaneOptions {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  term?: string;
  /** Further words of the command line. */
  words?: readonly string[];
}

/** Dispose it: `using pane = chat(world, ["hello"])`. */
export function chat(
  world: CliWorld,
  answers: readonly unknown[],
  { columns = 80, rows = 30, env = {}, term = "", words = [] }: ChatPaneOptions = {},
): Pane {
  const own = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, LC_ALL: "C.UTF-8", ...env };
  const command = [
    ...(term === "" ? [] : ["env", `TERM=${term}`]),
    process.execPath,
    cliFile,
    "chat",
    "--model",
    world.script(...answers),
    ...words,
  ];
  return openPane(command, { env: own, cwd: world.workspace, columns, rows });
}

/** Opened by hand in an interactive bash whose prompt is `sh: `, and ready for words. Dispose it. */
export async function chatInShell(world: CliWorld, ...answers: readonly unknown[]): Promise<Pane> {
  const env = {
    PATH: process.env.PATH,
    HOME: world.home,
    BUB_HOME: world.home,
    LC_ALL: "C.UTF-8",
    PS1: "sh: ",
    HISTFILE: "/dev/null",
  };
  const pane = openPane(["bash", "--norc", "-i"], { env, cwd: world.workspace });
  await pane.until(/^sh:/m);
  pane.type(`${process.execPath} ${cliFile} chat --model ${world.script(...answers)}`);
  pane.press("Enter");
  await pane.until(/^>/m);
  return pane;
}

/** Types a message as soon as there is a place for it. */
export async function say(pane: Pane, text: string): Promise<void> {
  await pane.until(/^>/m);
  pane.type(text);
  pane.press("Enter");
}

/** Everything that Markdown has, with a mark on each line that has to stay: `m1`, `m2`, … */
export function longAnswer(): { text: string; marks: string[] } {
  let count = 0;
  const mark = () => `m${++count}x`;
  const paragraph = () => `${mark()} 三個 **bold** and \`code\` in a paragraph that is long enough to wrap ${mark()}`;
  const parts = [
    `# ${mark()} heading`,
    ...Array.from({ length: 12 }, paragraph),
    Array.from({ length: 30 }, (_, index) => `${index + 1}. ${mark()} item`).join("\n"),
    `\`\`\`ts\n${Array.from({ length: 50 }, () => `const ${mark()} = 1;`).join("\n")}\n\`\`\``,
    `| a | b |\n|---|---|\n${Array.from({ length: 4 }, () => `| ${mark()} | é́ |`).join("\n")}`,
    `> ${mark()} quoted`,
    `${mark()} the end`,
  ];
  const text = parts.join("\n\n");
  return { text, marks: Array.from({ length: count }, (_, index) => `m${index + 1}x`) };
}

/** The marks in a text, in their order. */
export function marksOf(text: string): string[] {
  return text.match(/m\d+x/g) ?? [];
}
