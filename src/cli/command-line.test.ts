import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "./command-context.ts";
import { parseCommandLine } from "./command-line.ts";
import { commands, globalOptions } from "./command-table.ts";

const read = (line: string) => parseCommandLine(line === "" ? [] : line.split(" "));
const globals = { workspace: "." };
const session = { channel: "cli", chatId: "local" };

test.each([
  ["run hi there", ["hi", "there"], session, globals],
  ["run --json hi", ["hi"], { ...session, json: true }, globals],
  ["run hi --json --no-wait", ["hi"], { ...session, json: true, noWait: true }, globals],
  ["run --session-id=a=b --file x --file=y", [], { ...session, sessionId: "a=b", file: ["x", "y"] }, globals],
  ["-w /a run hi", ["hi"], session, { workspace: "/a" }],
  ["run hi -w/a", ["hi"], session, { workspace: "/a" }],
  ["--model p:m --plugin a run --plugin b", [], session, { workspace: ".", model: "p:m", plugin: ["b"] }],
  ["run -- --json -w", ["--json", "-w"], session, globals],
  ["run - hi", ["-", "hi"], session, globals],
  ["tape show --limit 0", [], { ...session, limit: 0 }, globals],
])("R5.1 %s", (line, words, options, expected) => {
  const request = read(line);
  expect(request).toMatchObject({ kind: "command", words, globals: expected });
  expect(request.kind === "command" && request.options).toMatchObject(options);
});

test.each([
  ["", ""],
  ["--help", ""],
  ["-h run", ""],
  ["run hi --help", "run"],
  ["help run", "run"],
  ["help", ""],
  ["tape --help", "tape"],
  ["tape show -h", "tape show"],
])("R5.1 '%s' asks for help", (line, of) => {
  expect(read(line)).toEqual({ kind: "help", of });
});

test("R5.1 a message may begin with a hyphen when it is text", () => {
  const request = parseCommandLine(["run", "- buy milk", "-x = 1 or so"]);
  expect(request).toMatchObject({ words: ["- buy milk", "-x = 1 or so"] });
});

test("R1.4 words of a plugin's command are left to it", () => {
  expect(read("-w /a greet --loud ann -w /b")).toEqual({
    kind: "plugin",
    name: "greet",
    words: ["--loud", "ann", "-w", "/b"],
    globals: { workspace: "/a" },
  });
});

test("R1.4 a word that objects have anyway is nobody's command", () => {
  expect(read("constructor")).toMatchObject({ kind: "plugin", name: "constructor" });
});

test.each([
  ["run --jsn", "unknown option '--jsn' (Did you mean --json?)"],
  ["run --quite-other", "unknown option '--quite-other'; bub --help shows what there is."],
  ["run -x", "unknown option '-x'; bub --help shows what there is."],
  ["run --json=1", "the option --json takes no value."],
  ["run hi --model", "the option --model needs a value: --model <provider:model>"],
  ["run --session-id --json", "the option --session-id needs a value: --session-id <id>"],
  ["run --session-id= hi", "the option --session-id needs a value: --session-id <id>"],
  ["tape show --limit few", "the option --limit needs a whole number from 0, not 'few'."],
  ["hooks now", "bub hooks takes no further words, such as 'now'."],
  ["help rnu", "unknown command 'rnu' (Did you mean run?)"],
  ["tape", "bub tape needs one of: show, search, export, check."],
  ["tape shwo", "unknown command 'tape shwo' (Did you mean show?)"],
  ["sessions serach x", "unknown command 'sessions serach' (Did you mean search?)"],
  ["sessions --json show", "bub sessions takes no further words, such as 'show'."],
  ["sessions show", "bub sessions show needs <id>: bub sessions show <id>"],
  ["sessions rename a b c", "bub sessions rename takes no more than <id> <name>, such as 'c'."],
])("R5.1 '%s' is a usage error", (line, message) => {
  expect(() => read(line)).toThrow(new UsageError(message));
});

test("R5.1 an empty value is a usage error for every option of every command", () => {
  for (const { name, options } of commands)
    for (const { name: option, value, short } of [...options, ...globalOptions]) {
      if (value === undefined) continue;
      const words = [
        [`--${option}`, ""],
        [`--${option}=`],
        [`--${option}`, "  "],
        ...(short ? [[`-${short}`, ""]] : []),
      ];
      for (const given of words)
        expect(() => parseCommandLine([...name.split(" "), ...given]), `${name} ${given}`).toThrow(
          new UsageError(`the option --${option} needs a value: --${option} <${value}>`),
        );
    }
});

test.each([
  [["sessions", "show", ""], "sessions show", "<id>"],
  [["sessions", "rename", "a", " "], "sessions rename", "<id> <name>"],
  [["sessions", "archive", ""], "sessions archive", "<id>"],
  [["sessions", "restore", ""], "sessions restore", "<id>"],
  [["tape", "show", ""], "tape show", "[session or file]"],
  [["tape", "export", ""], "tape export", "[session or file]"],
  [["tape", "check", ""], "tape check", "[session or file]"],
  [["install", "a", ""], "install", "<package> …"],
  [["uninstall", ""], "uninstall", "<name> …"],
  [["update", ""], "update", "[name …]"],
])("R5.1 an empty word names nothing: %s", (line, name, usage) => {
  const message = `bub ${name} got an empty word, most likely a variable that is not set: bub ${name} ${usage}`;
  expect(() => parseCommandLine(line)).toThrow(new UsageError(message));
});

test("R5.1 no words make anything but a request or a usage error", () => {
  const word = fc.oneof(
    fc.constantFrom("run", "tape", "show", "help", "--", "-", "-w", "--model", "--json", "--limit"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word), (line) => {
      try {
        expect(parseCommandLine(line).kind).toBeTypeOf("string");
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
  );
});

test("R5.1 whatever is said after -- is said as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(parseCommandLine(["run", "--", ...words])).toMatchObject({ words });
    }),
  );
});

test("R5.1 a group with a command of its own name is that command, unless a word names another", () => {
  const nameOf = (line: string) => {
    const request = read(line);
    return request.kind === "command" ? request.command.name : request;
  };
  expect(nameOf("sessions")).toBe("sessions");
  expect(nameOf("sessions --limit 3")).toBe("sessions");
  expect(nameOf("sessions show a")).toBe("sessions show");
  expect(nameOf("sessions --help")).toEqual({ kind: "help", of: "sessions" });
  expect(nameOf("help sessions show")).toEqual({ kind: "help", of: "sessions show" });
});
