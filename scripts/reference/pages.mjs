// Renders each page of docs/reference from what the code says.
import { allMembersOf, commentBefore, declarationOf, errorsIn, literalsOf, membersOf, readSource } from "./source.mjs";

/** Text of each page by its name. @param code what the program itself exports, see reference.mjs */
export async function renderPages(root, code) {
  return {
    "README.md": renderIndex(),
    "tools.md": await renderTools(code),
    "hooks.md": renderHooks(root, code),
    "settings.md": renderSettings(code),
    "events.md": renderEvents(root),
    "errors.md": renderErrors(root),
    "commands.md": renderCommands(code),
  };
}

function renderIndex() {
  return page("Reference", [
    "What the code says of itself, written anew with every change of it.",
    table(
      ["page", "what"],
      [
        ["[Tools](tools.md)", "each builtin tool with its parameters, who may call it, its plugin"],
        ["[Hooks](hooks.md)", "each hook with its kind, contract and signature"],
        ["[Settings](settings.md)", "each variable and key with what it takes and its default"],
        ["[Events](events.md)", "what a turn tells whoever reads it, and what observers are told"],
        ["[Errors](errors.md)", "the kinds, and the sentences of each"],
        ["[Commands](commands.md)", "each command of the command line with its options"],
      ],
    ),
  ]);
}

async function renderTools({ readTools, usageOf }) {
  const tools = await readTools();
  const plugins = [...new Set(tools.map(({ plugin }) => plugin))];
  const sections = plugins.map((plugin) => {
    const own = tools.filter((owned) => owned.plugin === plugin);
    return [`## ${plugin}`, ...own.map(({ tool }) => renderTool(tool, usageOf(tool)))].join("\n\n");
  });
  return page("Tools", [
    "The tools of the builtin plugins, in the order in which they are registered. `auto`: the model calls it, or code in code mode. `direct`: only the model. `code`: only code. `command`: only a person, by a text command. A person can give every tool but those of `code` as a command; models see each `.` of a name as `_`.",
    ...sections,
  ]);
}

function renderTool(tool, usage) {
  const facts = [tool.exposure, tool.deferred && "deferred", tool.exclusive && "exclusive"].filter(Boolean);
  const { properties = {}, required = [] } = tool.parameters;
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    code(typeOf(schema)),
    required.includes(name) ? "required" : schema.default === undefined ? "" : code(JSON.stringify(schema.default)),
    prose(schema.description ?? ""),
  ]);
  return [
    `### \`${tool.name}\``,
    `${facts.join(", ")}${tool.exposure === "code" ? "" : ` · ${code(`,${usage}`)}`}`,
    prose(tool.description),
    ...(rows.length > 0 ? [table(["parameter", "type", "default", ""], rows)] : []),
  ].join("\n\n");
}

function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const ways = schema.anyOf ?? schema.oneOf;
  if (ways) return [...new Set(ways.map(typeOf))].join(" | ");
  if (schema.type === "array") {
    const item = typeOf(schema.items ?? {});
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  return Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "any");
}

function renderHooks(root, { hookKinds }) {
  const source = readSource(root, "src/kernel/hooks.ts");
  const { start } = declarationOf(source, "HookKind");
  const hooks = membersOf(source, declarationOf(source, "Hooks").node);
  const rows = hooks.map(({ name }) => [`[\`${name}\`](#${name.toLowerCase()})`, hookKinds[name]]);
  const sections = hooks.map(({ name, text, comment }) =>
    [`## ${name}`, `*${hookKinds[name]}*${comment && ` · ${prose(comment)}`}`, fence(text)].join("\n\n"),
  );
  return page("Hooks", [
    commentBefore(source.text, start),
    "How to write a plugin stands in [Plugins and hooks](../concepts/plugins.md).",
    table(["hook", "kind"], rows),
    ...sections,
  ]);
}

function renderSettings({ settingTable, configKeyOf }) {
  const rows = Object.entries(settingTable).map(
    ([name, { env, help, default: initial, expected, workspace, secret }]) => [
      code(env),
      name === "home" ? "" : code(configKeyOf(name)),
      `${prose(help)}${secret ? " Shown masked." : ""}`,
      expected,
      initial === undefined ? "" : code(typeof initial === "string" ? initial : JSON.stringify(initial)),
      workspace ? "yes" : "",
    ],
  );
  return page("Settings", [
    "Each setting is a flag or an argument of the SDK, else a variable of the environment, else a line of the workspace's `.env` where that is allowed, else a key of `config.yml` in `BUB_HOME`, else its default. `bub doctor` shows what holds and where it comes from. Plugins have [settings of their own](../concepts/plugins.md#settings).",
    table(["variable", "config.yml", "", "value", "default", "`.env`"], rows),
  ]);
}

function renderEvents(root) {
  const source = readSource(root, "src/base/events.ts");
  const bodies = declarationOf(source, "StreamEventBody").node.typeAnnotation.types;
  const stream = bodies.map((body) => {
    const members = membersOf(source, body);
    const type = members.find(({ name }) => name === "type").node.typeAnnotation.typeAnnotation;
    return [literalsOf(type).map(code).join(", "), fieldsOf(members.filter(({ name }) => name !== "type"))];
  });
  const bus = membersOf(source, declarationOf(source, "BusEvents").node).map(({ name, node, comment }) => [
    code(name),
    fieldsOf(allMembersOf(source, node.typeAnnotation.typeAnnotation)),
    prose(comment),
  ]);
  const task = declared(source, "SubagentTask");
  return page("Events", [
    "## Stream events",
    "What `agent.run` yields and `bub run --json` prints, a line each.",
    table(["`type`", "fields"], stream),
    `Each has these, too. ${declared(source, "StreamEventPlace").comment}`,
    memberTable(declared(source, "StreamEventPlace").members),
    "## Bus events",
    declared(source, "BusEvents").comment,
    table(["name", "fields", ""], bus),
    "## Usage",
    declared(source, "Usage").comment,
    memberTable(declared(source, "Usage").members),
    "## SubagentTask",
    task.comment,
    memberTable(task.members),
  ]);
}

function declared(source, name) {
  const { node, start } = declarationOf(source, name);
  return { members: membersOf(source, node), comment: commentBefore(source.text, start) };
}

function memberTable(members) {
  const rows = members.map(({ name, isOptional, type, comment }) => [
    code(`${name}${isOptional ? "?" : ""}`),
    code(type),
    prose(comment),
  ]);
  return table(["field", "type", ""], rows);
}

function fieldsOf(members) {
  return members.map(({ name, isOptional, type }) => code(`${name}${isOptional ? "?" : ""}: ${type}`)).join(", ");
}

function renderErrors(root) {
  const source = readSource(root, "src/base/errors.ts");
  const { node, start } = declarationOf(source, "ErrorKind");
  const found = errorsIn(root);
  const sections = literalsOf(node.typeAnnotation).map((kind) => {
    const rows = found.filter((error) => error.kind === kind).map(({ sentence, room }) => `${room}\0${sentence}`);
    const unique = [...new Set(rows)].sort().map((row) => row.split("\0"));
    const cells = unique.map(([room, sentence]) => [room, code(sentence)]);
    return [`## ${kind}`, cells.length > 0 ? table(["where", "sentence"], cells) : "None that is written out."].join(
      "\n\n",
    );
  });
  return page("Errors", [
    `A \`BubError\` has a kind, a sentence, and often details and a hint. ${commentBefore(source.text, start)} These are the sentences as the code has them, \`…\` for what is filled in; others are put together while Bub runs.`,
    ...sections,
  ]);
}

function renderCommands({ commands, globalOptions, helpOption, versionOption }) {
  const sections = commands.map(({ name, summary, example, argument, options }) =>
    [
      `## bub ${name}`,
      `${summary}${argument ? ` Further words: ${argument.help}.` : ""}`,
      fence(example, "sh"),
      ...(options.length > 0 ? [optionTable(options)] : []),
    ].join("\n\n"),
  );
  return page("Commands", [
    "What each does stands in [The command line](../cli.md); text commands are among the [tools](tools.md).",
    "Options of every command:",
    optionTable([...globalOptions, helpOption, versionOption]),
    ...sections,
  ]);
}

function optionTable(options) {
  const rows = options.map(({ name, short, value, optional, help, default: initial }) => [
    code(`${short ? `-${short}, ` : ""}--${name}${value ? (optional ? ` [${value}]` : ` <${value}>`) : ""}`),
    prose(help),
    initial === undefined ? "" : code(String(initial)),
  ]);
  return table(["option", "", "default"], rows);
}

function page(title, paragraphs) {
  const notice = "<!-- Written by `npm run docs` from the code; changes by hand are lost. -->";
  return `# ${title}\n\n${notice}\n\n${paragraphs.filter((text) => text !== "").join("\n\n")}\n`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Outside of code spans, `<` would begin a tag. */
function prose(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "\\<")))
    .join("");
}

function cell(text) {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|");
}

/** A code span, whatever backticks the text has. */
function code(text) {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = "`".repeat(longest + 1);
  return longest > 0 ? `${mark} ${text} ${mark}` : `${mark}${text}${mark}`;
}

function fence(text, language = "ts") {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
