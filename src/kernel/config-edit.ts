// Sets one value in the text of a YAML file so that every other byte stays, as far as that can be done.
import type { Document, YAMLMap } from "yaml";
import { isJsonObject, type JsonValue } from "../base/json.ts";

type Yaml = typeof import("yaml");

/**
 * The text with the value at that path. A value that is the same already changes nothing.
 * @returns undefined where something on the way holds no keys and values
 * @throws YAMLParseError for text that is no YAML
 */
export function editYaml(text: string, path: readonly string[], value: JsonValue, yaml: Yaml): string | undefined {
  const document = parse(text, yaml);
  if (!leadsToKeys(document, path, yaml)) return undefined;
  if (same(plainAt(document, path), value)) return text;
  const edited = spliced(text, { document, path, value, yaml });
  setIn(document, path, value, yaml);
  // A splice that means something else, as between odd line ends or in a file of flow style, is not taken.
  if (edited !== undefined && isMeant(edited, document, yaml)) return edited;
  const written = document.toString({ lineWidth: 0 });
  return text.includes("\r\n") ? written.replace(/\r?\n/g, "\r\n") : written;
}

function parse(text: string, { parseDocument }: Yaml): Document {
  const document = parseDocument(text, { logLevel: "error" });
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  return document;
}

function leadsToKeys(document: Document, path: readonly string[], { isMap }: Yaml): boolean {
  return path.every((_key, depth) => {
    const found = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    return isMap(found) || toPlain(found) === null || found === undefined;
  });
}

interface Edit {
  readonly document: Document;
  readonly path: readonly string[];
  readonly value: JsonValue;
  readonly yaml: Yaml;
}

/** Replaces a scalar, or adds a line to the innermost map that is there; undefined for anything else. */
function spliced(text: string, { document, path, value, yaml }: Edit): string | undefined {
  const { isMap, isScalar } = yaml;
  const old = document.getIn(path, true);
  if (isScalar(old) && old.range && old.range[1] > old.range[0] && !isJsonObject(value)) {
    const [from, to] = old.range;
    if (text.slice(from, to).includes("\n")) return undefined;
    return text.slice(0, from) + scalarText(value, old.type, yaml) + text.slice(to);
  }
  if (old !== undefined) return undefined;
  const depth = path.findLastIndex((_key, at) =>
    isMap(at === 0 ? document.contents : document.getIn(path.slice(0, at), true)),
  );
  if (depth < 0)
    return document.contents === null ? withLines(text, text.length, linesOf(path, value, 0, yaml)) : undefined;
  const map = (depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)) as YAMLMap;
  const place = endOf(map, text, yaml);
  if (place === undefined || map.flow === true || document.getIn(path.slice(0, depth + 1), true) !== undefined)
    return undefined;
  return withLines(text, place.at, linesOf(path.slice(depth), value, place.indent, yaml));
}

function scalarText(value: JsonValue, type: string | undefined, { Document: Made, Scalar }: Yaml): string {
  const made = new Made(value);
  const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
  if (isQuoted && made.contents !== null) Object.assign(made.contents, { type });
  return made.toString({ lineWidth: 0 }).trimEnd();
}

/** Where the last line of a map ends, and how far its keys stand from the left. */
function endOf(map: YAMLMap, text: string, { isNode }: Yaml): { at: number; indent: number } | undefined {
  const [first] = map.items;
  const last = map.items.at(-1);
  if (first === undefined || last === undefined || !isNode(first.key) || !first.key.range || !isNode(last.key))
    return undefined;
  const start = first.key.range[0];
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const range = isNode(last.value) && last.value.range ? last.value.range : last.key.range;
  if (!range || text.slice(lineStart, start).trim() !== "") return undefined;
  const end = Math.max(range[1], last.key.range?.[1] ?? 0);
  if (text[end - 1] === "\n") return { at: end, indent: start - lineStart };
  const newline = text.indexOf("\n", end);
  return { at: newline === -1 ? text.length : newline + 1, indent: start - lineStart };
}

function linesOf(path: readonly string[], value: JsonValue, indent: number, { stringify }: Yaml): string {
  const nested = path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
  const text = stringify(nested, { lineWidth: 0 });
  return text.replace(/^(?=.)/gm, " ".repeat(indent));
}

function withLines(text: string, at: number, lines: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lead = at > 0 && text[at - 1] !== "\n" ? newline : "";
  return text.slice(0, at) + lead + lines.replaceAll("\n", newline) + text.slice(at);
}

function isMeant(edited: string, wanted: Document, yaml: Yaml): boolean {
  try {
    return same(parse(edited, yaml).toJS(), wanted.toJS());
  } catch {
    return false;
  }
}

function setIn(document: Document, path: readonly string[], value: JsonValue, { isMap }: Yaml): void {
  if (!isMap(document.contents)) document.contents = document.createNode({}) as never;
  for (const depth of path.keys()) {
    const outer = path.slice(0, depth);
    // An empty section is null, which takes no keys.
    if (depth > 0 && plainAt(document, outer) === null) document.setIn(outer, document.createNode({}));
  }
  document.setIn(path, document.createNode(value));
}

function plainAt(document: Document, path: readonly string[]): unknown {
  return toPlain(document.getIn(path));
}

function toPlain(node: unknown): unknown {
  const isNode = typeof node === "object" && node !== null && "toJSON" in node;
  return isNode ? (node as { toJSON(): unknown }).toJSON() : node;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
