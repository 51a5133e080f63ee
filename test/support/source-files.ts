// Reads our own sources for the tests about them: which file imports what, exports what, says `any`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

export interface SourceFile {
  /** From the root of the repository, with slashes: `src/kernel/turn.ts`. */
  path: string;
  text: string;
  /** Everything it imports, statically, lazily or for a type; relative ones as paths from the root. */
  imports: { path: string; specifier: string }[];
  exports: { name: string; isType: boolean }[];
  exportsAll: boolean;
  anyCount: number;
}

export function listFiles(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

export function listFolders(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && listFiles(`${folder}/${entry.name}`).length > 0)
    .map((entry) => entry.name)
    .sort();
}

export function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const file: SourceFile = { path, text, imports: [], exports: [], exportsAll: false, anyCount: 0 };
  visit(parseAst(text, { lang: "ts" }), (node) => record(node, file));
  return file;
}

type Node = { type: string; [key: string]: unknown };

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const child of value) visit(child, see);
  } else if (isNode(value)) {
    see(value);
    for (const child of Object.values(value)) visit(child, see);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function record(node: Node, file: SourceFile): void {
  switch (node.type) {
    case "TSAnyKeyword":
      file.anyCount += 1;
      break;
    case "ImportDeclaration":
    case "ImportExpression":
    case "TSImportType":
      recordImport(node.source, file);
      break;
    case "ExportAllDeclaration":
      recordImport(node.source, file);
      file.exportsAll = true;
      break;
    case "ExportNamedDeclaration":
      recordImport(node.source, file);
      recordExports(node, file);
      break;
  }
}

function recordImport(source: unknown, file: SourceFile): void {
  if (!isNode(source) || typeof source.value !== "string") return;
  const specifier = source.value;
  const path = specifier.startsWith(".") ? posix.join(posix.dirname(file.path), specifier) : specifier;
  file.imports.push({ path, specifier });
}

function recordExports(node: Node, file: SourceFile): void {
  for (const specifier of node.specifiers as Node[]) {
    const isType = node.exportKind === "type" || specifier.exportKind === "type";
    file.exports.push({ name: nameOf(specifier.exported), isType });
  }
  const declaration = node.declaration;
  if (!isNode(declaration)) return;
  const isType = declaration.type === "TSInterfaceDeclaration" || declaration.type === "TSTypeAliasDeclaration";
  const declared = declaration.type === "VariableDeclaration" ? (declaration.declarations as Node[]) : [declaration];
  for (const { id } of declared) file.exports.push({ name: nameOf(id), isType });
}

function nameOf(node: unknown): string {
  return isNode(node) ? String(node.name ?? node.value) : "";
}
