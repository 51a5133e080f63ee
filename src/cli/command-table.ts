// Every command of the command line: its words, options and example. What it does stands in work.ts.

export interface OptionSpec {
  /** `session-id` is given as `--session-id` and read as `sessionId`. */
  readonly name: string;
  /** One letter, given with one hyphen. */
  readonly short?: string;
  /** What its value is, for the help; without one the option is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly default?: string | number;
  /** Can be given again; its value is a list. */
  readonly repeats?: true;
  /** Its value is a whole number from 0. */
  readonly counts?: true;
}

export interface CommandSpec {
  /** `tape show` is the command `show` of the group `tape`. */
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  /** What further words are; without it there may be none. */
  readonly argument?: { readonly name: string; readonly help: string };
  readonly options: readonly OptionSpec[];
}

export const globalOptions: readonly OptionSpec[] = [
  { name: "workspace", short: "w", value: "path", help: "folder that the agent works in", default: "." },
  { name: "model", value: "provider:model", help: "the model to ask" },
  { name: "plugin", value: "path", help: "a further plugin; can be given again", repeats: true },
];

/** Understood by every command. */
export const helpOption: OptionSpec = { name: "help", short: "h", help: "show this" };
export const versionOption: OptionSpec = { name: "version", short: "V", help: "show the version" };

const json: OptionSpec = { name: "json", help: "print JSON" };

const session: readonly OptionSpec[] = [
  { name: "session-id", value: "id", help: "the session; by default <channel>:<chat-id>" },
  { name: "channel", value: "name", help: "where the message comes from", default: "cli" },
  { name: "chat-id", value: "id", help: "which conversation there", default: "local" },
];

const talk: readonly OptionSpec[] = [
  ...session,
  { name: "sender-id", value: "id", help: "who wrote the message" },
  { name: "new", help: "start a new session" },
];

export const groups: Readonly<Record<string, string>> = { tape: "Look at what a session remembers." };

export const commands: readonly CommandSpec[] = [
  {
    name: "run",
    summary: "Answer one message and end.",
    example: 'git diff | bub run "review this"',
    argument: { name: "message", help: "what to say; piped text is added after it, or is the message" },
    options: [
      ...talk,
      { name: "file", value: "path", help: "attach a picture, sound, film or text; can be given again", repeats: true },
      { name: "json", help: "print each event as a line of JSON" },
      { name: "no-wait", help: "fail when another process has the session" },
    ],
  },
  {
    name: "chat",
    summary: "Talk, line by line.",
    example: 'bub chat "what is new here?"',
    argument: { name: "prompt", help: "what to say first" },
    options: talk,
  },
  {
    name: "demo",
    summary: "Watch one scripted turn with real tools; needs no key and no network.",
    example: "bub demo",
    options: [],
  },
  {
    name: "hooks",
    summary: "Show which plugins answer each hook, and where each tool comes from.",
    example: "bub hooks --json",
    options: [
      { name: "trace", value: "message", help: "answer this message as run does, and show how long each hook took" },
      ...session,
      json,
    ],
  },
  {
    name: "doctor",
    summary: "Check the set-up: settings and their sources, model and key, tape, plugins.",
    example: "bub doctor",
    options: [...session, json],
  },
  {
    name: "tape show",
    summary: "Print the last entries of a session's tape.",
    example: "bub tape show --limit 20",
    options: [
      ...session,
      { name: "limit", value: "count", help: "how many entries; 0 for all", default: 50, counts: true },
      { name: "json", help: "print each entry as a line of JSON" },
    ],
  },
];
