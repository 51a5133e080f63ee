import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { mentionsOfPaste } from "./pasted-path.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "bub-paste-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const name of ["shot.png", "Screen Shot 1.png", "it's.JPG", 'a "b".png', "notes.md"])
    writeFileSync(join(path, name), "x");
  mkdirSync(join(path, "folder.png"));
  return path;
}

test("R5.2 a pasted path to a picture becomes a mention that attaches it: plain, quoted, escaped, as an address", () => {
  const here = folder();
  const shot = `@"${join(here, "Screen Shot 1.png")}"`;
  expect(mentionsOfPaste(`${join(here, "shot.png")}\n`, here)).toBe(`@${join(here, "shot.png")}`);
  expect(mentionsOfPaste("shot.png", here)).toBe("@shot.png");
  expect(mentionsOfPaste(join(here, "Screen Shot 1.png"), here)).toBe(shot);
  expect(mentionsOfPaste(`'${join(here, "Screen Shot 1.png")}' `, here)).toBe(shot);
  expect(mentionsOfPaste(`"${join(here, "Screen Shot 1.png")}"`, here)).toBe(shot);
  expect(mentionsOfPaste(join(here, "Screen\\ Shot\\ 1.png"), here)).toBe(shot);
  expect(mentionsOfPaste(pathToFileURL(join(here, "Screen Shot 1.png")).href, here)).toBe(shot);
  expect(mentionsOfPaste("it\\'s.JPG", here)).toBe(`@"it's.JPG"`);
});

test("R5.2 several pictures that are dropped together are attached together", () => {
  const here = folder();
  expect(mentionsOfPaste("shot.png Screen\\ Shot\\ 1.png", here)).toBe('@shot.png @"Screen Shot 1.png"');
});

test("R5.2 any other pasted text stays as it is", () => {
  const here = folder();
  const others = [
    "see shot.png",
    "notes.md",
    "none.png",
    "folder.png",
    "file://elsewhere/shot.png",
    'a "b".png',
    "https://example.com/a.png",
    "",
    "'shot.png",
    `${"x".repeat(5000)}.png`,
  ];
  for (const text of others) expect(mentionsOfPaste(text, here)).toBeUndefined();
});
