import { expect, test } from "vitest";
import { parseProfile, parseProfileFile } from "./profile-file.ts";

const file = `---
name: reviewer
description: Reads a change
  and says what is wrong with it.
model: openai:gpt-5
reasoning_effort: high
session: fork
allowed_tools: [fs.read, bash]
allowed_skills: []
timeout_seconds: 90
---

Look for mistakes.
Say nothing else.
`;

test("T7.12 a profile is front matter with every setting, and the body as further instructions", async () => {
  expect(await parseProfileFile(file, "other")).toEqual({
    profile: {
      name: "reviewer",
      description: "Reads a change and says what is wrong with it.",
      instructions: "Look for mistakes.\nSay nothing else.",
      model: "openai:gpt-5",
      reasoningEffort: "high",
      session: "fork",
      allowedTools: ["fs.read", "bash"],
      allowedSkills: [],
      timeoutSeconds: 90,
    },
  });
});

test("T7.12 everything may be left out, lists may be words with commas, and the file gives the name", async () => {
  expect(await parseProfileFile("---\r\nallowed_tools: fs.read, bash\r\n---\r\n", "quick")).toMatchObject({
    profile: { name: "quick", description: "", instructions: "", allowedTools: ["fs.read", "bash"] },
  });
  expect(await parseProfileFile("---\nmodel:\n---\nx", "empty")).toMatchObject({ profile: { instructions: "x" } });
});

test.each([
  ["Just text.", "has no front matter between two lines of ---"],
  ["---\nname: [\n---\n", /^has a front matter that is not valid YAML: /],
  ["---\n- a\n---\n", "has a front matter that is no list of `key: value` lines"],
  [
    "---\nmodel: 5\ntimeout_seconds: -1\n---\n",
    "has timeout_seconds that is no number above 0, and model that is no text",
  ],
  ["---\nallowed_tools: {a: 1}\n---\n", "has allowed_tools that are no list of names"],
])("T7.12 a broken profile says what is wrong: %j", async (text, problem) => {
  expect(await parseProfileFile(text, "x")).toEqual({ problem: expect.stringMatching(problem) });
});

test("T7.12 a profile of config.yml has the same keys, and instructions", () => {
  expect(parseProfile({ model: "a:b", instructions: "Be brief." }, "brief")).toMatchObject({
    profile: { name: "brief", model: "a:b", instructions: "Be brief." },
  });
});
