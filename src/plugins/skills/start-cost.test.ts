// What skills cost where nobody has any: no parser is loaded, nothing is written.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

vi.mock("yaml", () => {
  throw new Error("the parser was loaded");
});

test("T5.2 without skills of anybody's no YAML parser is loaded and no file is written; with one it is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bub-skills-"));
  try {
    const model = scriptedModel([say("ok"), say("ok")]);
    const settings = { home: join(folder, "home") };
    await using runtime = await testRuntime({ model, workspace: folder, env: { HOME: folder }, settings });
    await runtime.send("hi, what costs $5?");
    expect(model.requests[0]?.system).toContain("- skill-creator: ");
    expect(runtime.log).toEqual([]);
    expect(existsSync(settings.home)).toBe(false);
    mkdirSync(join(folder, ".agents/skills/one"), { recursive: true });
    writeFileSync(join(folder, ".agents/skills/one/SKILL.md"), "---\nname: one\ndescription: One.\n---\n");
    await runtime.send("hi again");
    expect(runtime.log.join()).toContain(join(folder, ".agents/skills/one/SKILL.md"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
