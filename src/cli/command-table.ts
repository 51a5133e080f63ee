// Every command of the command line: its words, options and example. What it does stands in work.ts.

export interface OptionSpec {
  /** `session-id` is given as `--session-id` and read as `sessionId`. */
  readonly name: string;
  /** One letter, given with one hyphen. */
  readonly short?: string;
  /** What its value is, for the help; without one the option is a switch. */
  readonly value?: string;
  /** Its value may be left out: then it is a switch. */
  readonly optional?: true;
  readonly help: string;
  readonly default?: string | number;
  /** Can be given again; its value is a list. */
  readonly repeats?: true;
  /** Its value is a whole number from 0. */
  readonly counts?: true;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly help: string;
  /** How the words stand in the help's first line, where that is not any number of them. */
  readonly usage?: string;
  /** How many words there have to be. */
  readonly fewest?: number;
  readonly most?: number;
  /** Each word is a name, and so not empty. */
  readonly names?: true;
}

export interface CommandSpec {
  /** `tape show` is the command `show` of the group `tape`. */
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  /** What further words are; without it there may be none. */
  readonly argument?: ArgumentSpec;
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

const searching: readonly OptionSpec[] = [
  { name: "exact", help: "only the text itself, not words that are nearly the same" },
  { name: "kinds", value: "names", help: "kinds of entries, with commas between", default: "message,tool_result" },
  { name: "start", value: "date", help: "not before this ISO date or date-time" },
  { name: "end", value: "date", help: "not after it" },
  { name: "limit", value: "count", help: "how many matches; 0 for all", default: 20, counts: true },
  { name: "json", help: "print each match as a line of JSON" },
];

const everywhere: OptionSpec = { name: "everywhere", help: "of all workspaces, not of this one alone" };

const oneSession: ArgumentSpec = {
  name: "id",
  help: "the session's name, or its tape's",
  usage: "<id>",
  fewest: 1,
  most: 1,
  names: true,
};

const oneTape: ArgumentSpec = {
  name: "session or file",
  help: "a session's name, or a tape's file anywhere; by default the session that the options choose",
  usage: "[session or file]",
  most: 1,
  names: true,
};

/** Words before a command's own; a command of the group's name alone belongs to it, too. */
export const groups: Readonly<Record<string, string>> = {
  sessions: "The conversations that there are: list, search, rename, archive and prune them.",
  tape: "Look at what a session remembers.",
};

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
    summary: "Talk with Bub in the terminal.",
    example: 'bub chat "what is new here?"',
    argument: { name: "prompt", help: "what to say first" },
    options: [
      ...talk,
      { name: "resume", value: "id", optional: true, help: "go on in an earlier session; without an id, choose one" },
    ],
  },
  {
    name: "onboard",
    summary: "Set Bub up: provider, key, model, and a first call. Asks on a terminal, or takes options.",
    example: "bub onboard --model openai:gpt-5 --key-from-env OPENAI_API_KEY",
    options: [
      {
        name: "provider",
        value: "name",
        help: "who answers: openrouter, anthropic, openai, google, ollama, or a name of your own with --api-base",
      },
      { name: "api-base", value: "address", help: "where the API of a compatible server is" },
      { name: "provider-name", value: "name", help: "what a server given as --provider server is called" },
      { name: "key-from-env", value: "name", help: "the variable that holds the key" },
      { name: "key-stdin", help: "read the key from stdin" },
      { name: "answer", value: "name=value", help: "answer a plugin's question; can be given again", repeats: true },
      { name: "no-test", help: "make no first call" },
    ],
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
    summary: "Check the set-up: settings and their sources, model and key, programs, files, tape, plugins.",
    example: "bub doctor --fix",
    options: [
      ...session,
      { name: "fix", help: "put right what can be without losing anything, and say what was done" },
      { name: "offline", help: "ask no provider whether it answers" },
      json,
    ],
  },
  {
    name: "sessions",
    summary: "List the sessions of this workspace, those last used first.",
    example: "bub sessions --limit 50",
    options: [
      { name: "archived", help: "those that were archived, in place of those in use" },
      everywhere,
      { name: "limit", value: "count", help: "how many; 0 for all", default: 20, counts: true },
      { name: "json", help: "print each session as a line of JSON" },
    ],
  },
  {
    name: "sessions search",
    summary: "Find what was said in any session, those last used first.",
    example: 'bub sessions search "connection refused"',
    argument: { name: "text", help: "what to look for", usage: "<text>", fewest: 1 },
    options: [everywhere, ...searching],
  },
  {
    name: "sessions show",
    summary: "Show what is known of one session.",
    example: "bub sessions show cli:local",
    argument: oneSession,
    options: [json],
  },
  {
    name: "sessions rename",
    summary: "Give a session another name; it goes on under that.",
    example: "bub sessions rename cli:local release-notes",
    argument: {
      name: "id name",
      help: "the session's name, or its tape's, and the new name",
      usage: "<id> <name>",
      fewest: 2,
      most: 2,
      names: true,
    },
    options: [],
  },
  {
    name: "sessions archive",
    summary: "Take a session out of use; restore brings it back.",
    example: "bub sessions archive cli:local",
    argument: oneSession,
    options: [],
  },
  {
    name: "sessions restore",
    summary: "Bring an archived session back. What has its place by then is archived.",
    example: "bub sessions restore cli:local",
    argument: {
      name: "id",
      help: "the session's name, for its newest archive; or an archive's time or file, as the list names it",
      usage: "<id>",
      fewest: 1,
      most: 1,
      names: true,
    },
    options: [],
  },
  {
    name: "sessions prune",
    summary: "Show which sessions and archives nobody has used for long, and remove them for good with --yes.",
    example: "bub sessions prune --older-than 30d",
    options: [
      { name: "older-than", value: "age", help: "last used before: 12h, 30d, 8w, 1y, or an ISO date" },
      { name: "yes", help: "remove them; without it they are only shown" },
      { name: "dry-run", help: "only show them, whatever else is said" },
      everywhere,
      json,
    ],
  },
  {
    name: "install",
    summary: "Install plugins: npm packages, which run on this machine with your rights.",
    example: "bub install bub-weather",
    argument: {
      name: "package",
      help: "a name, name@version, folder, tarball or git address",
      usage: "<package> …",
      fewest: 1,
      names: true,
    },
    options: [
      { name: "provider", help: "a package that makes models by the AI SDK's interface, also without saying so" },
    ],
  },
  {
    name: "uninstall",
    summary: "Remove installed packages.",
    example: "bub uninstall bub-weather",
    argument: { name: "name", help: "the package's name", usage: "<name> …", fewest: 1, names: true },
    options: [],
  },
  {
    name: "update",
    summary: "Bring the newest versions of installed packages.",
    example: "bub update",
    argument: { name: "name", help: "the package's name; without one, all of them", usage: "[name …]", names: true },
    options: [],
  },
  {
    name: "tape show",
    summary: "Print the last entries of a session's tape.",
    example: "bub tape show --limit 20",
    argument: oneTape,
    options: [
      ...session,
      { name: "limit", value: "count", help: "how many entries; 0 for all", default: 50, counts: true },
      { name: "before", value: "id", help: "only entries before this one", counts: true },
      { name: "after", value: "id", help: "only entries after this one, the first of them", counts: true },
      { name: "json", help: "print each entry as a line of JSON" },
    ],
  },
  {
    name: "tape search",
    summary: "Find what was said in a session, before anchors too; newest first.",
    example: "bub tape search --kinds message,tool_call orchid",
    argument: { name: "text", help: "what to look for", usage: "<text>", fewest: 1 },
    options: [...session, ...searching],
  },
  {
    name: "tape export",
    summary: "Write a tape as JSON lines, as Markdown, or as one page for a browser that needs no other file.",
    example: "bub tape export --output talk.html",
    argument: oneTape,
    options: [
      ...session,
      {
        name: "format",
        value: "name",
        help: "jsonl, markdown or html; by default as the output's name ends, else markdown",
      },
      { name: "output", value: "file", help: "where to write it; by default to stdout" },
      { name: "overwrite", help: "replace the output when it is there already" },
      { name: "everything", help: "also system prompts and all events; jsonl always has them" },
    ],
  },
  {
    name: "tape check",
    summary:
      "Prove that every request which a tape can lead to is one that providers take; say what is wrong and how to repair it.",
    example: "bub tape check",
    argument: oneTape,
    options: [
      ...session,
      { name: "provider", value: "name", help: "only for this provider; can be given again", repeats: true },
      json,
    ],
  },
];
