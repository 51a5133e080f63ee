// Reads declarations and their comments out of the sources.
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { parseAst } from "vite";

/** A parsed source file. */
export function readSource(root, path) {
  const text = readFileSync(join(root, path), "utf8");
  return { text, body: parseAst(text, { lang: "ts" }).body };
}

/** The declaration of an interface, type or constant. */
export function declarationOf({ body }, name) {
  for (const statement of body) {
    const declaration = statement.declaration ?? statement;
    if (declaration.id?.name === name) return { node: declaration, start: statement.start };
  }
  throw new Error(`there is no declaration of ${name}`);
}

/** Name, text and comment of each member of an interface or an object type. */
export function membersOf(source, node) {
  const members = node.type === "TSInterfaceDeclaration" ? node.body.body : node.members;
  return members.map((member) => ({
    name: member.key.name ?? member.key.value,
    isOptional: member.optional === true,
    text: flat(source.text.slice(member.start, member.end)).replace(/;$/, ""),
    type: member.typeAnnotation && flat(source.text.slice(...rangeOf(member.typeAnnotation.typeAnnotation))),
    node: member,
    comment: commentBefore(source.text, member.start),
  }));
}

/** The members of an object type that may be put together by `&`. */
export function allMembersOf(source, node) {
  if (node.type === "TSIntersectionType") return node.types.flatMap((part) => allMembersOf(source, part));
  if (node.type === "TSTypeReference") return membersOf(source, declarationOf(source, node.typeName.name).node);
  return membersOf(source, node);
}

/** The texts that a type of literals allows. */
export function literalsOf(node) {
  if (node.type === "TSUnionType") return node.types.flatMap(literalsOf);
  return node.type === "TSLiteralType" ? [node.literal.value] : [];
}

/** The doc comment that ends right before a position; empty without one. */
export function commentBefore(text, position) {
  const found = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, position));
  return found ? flat(found[1].replace(/^\s*\* ?/gm, " ")) : "";
}

/** Each `new BubError(kind, sentence)` whose two are written out: what is filled in is shown as `…`. */
export function errorsIn(root) {
  return sourceFiles(root).flatMap((path) => {
    const found = [];
    walk(readSource(root, path).body, (node) => {
      if (node.type !== "NewExpression" || node.callee.name !== "BubError") return;
      const [kind, sentence] = node.arguments.map(textOf);
      if (kind !== undefined && sentence !== undefined) found.push({ kind, sentence, room: roomOf(path) });
    });
    return found;
  });
}

function sourceFiles(root) {
  return readdirSync(join(root, "src"), { recursive: true })
    .map((name) => `src/${name.split(sep).join("/")}`)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("src/testing/"))
    .sort();
}

/** `src/plugins/files`, else `src/model`. */
function roomOf(path) {
  const [, room, folder] = path.split("/");
  return room === "plugins" || room === "channels" ? `src/${room}/${folder}` : `src/${room}`;
}

function textOf(node) {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked).join("…");
  return undefined;
}

function walk(node, visit) {
  if (Array.isArray(node)) for (const child of node) walk(child, visit);
  if (node === null || typeof node !== "object" || Array.isArray(node)) return;
  visit(node);
  for (const child of Object.values(node)) walk(child, visit);
}

function rangeOf({ start, end }) {
  return [start, end];
}

function flat(text) {
  return text.replace(/\s+/g, " ").trim();
}
