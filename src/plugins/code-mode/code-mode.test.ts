// When code mode is on, what it offers to the model, and what it says where it cannot be.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { add, codeWorld, noPython } from "../../../test/support/code-mode-world.ts";
import { bootProgram } from "../../environment/python/boot.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { buildStub } from "./stub.ts";

const world = codeWorld();

test("T8.1 code mode offers direct tools and run_code; the stub of the others is valid, stable and named in the prompt", async () => {
  const model = scriptedModel([say("1"), say("2")]);
  await using runtime = await world.open({ model, tools: [add] });
  await runtime.send("one");
  await runtime.send("two");
  const [first, second] = model.requests;
  const names = first?.tools.map(({ name }) => name) ?? [];
  expect(names).toEqual(expect.arrayContaining(["bash", "fs_read", "run_code"]));
  expect(names).not.toContain("math_add");
  expect(second?.system).toBe(first?.system);
  const file = /^Signatures: (.*)$/m.exec(first?.system ?? "")?.[1] ?? "";
  const stub = readFileSync(file, "utf8");
  expect(stub).toContain(
    '    async def math_add(self, *, a: float, b: float = 1) -> Any:\n        "Add two numbers."\n        ...',
  );
});

test("T8.1 without run_code in the allow-list there is no code mode", async () => {
  const model = scriptedModel([say("1")]);
  await using runtime = await world.open({ model, tools: [add] });
  await runtime.send("one", { allowedTools: ["math.add"] });
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["math_add"]);
  expect(model.requests[0]?.system).not.toContain("<code_mode>");
});

test("T8.2 without Python one error names BUB_PYTHON, and everything else works", async () => {
  const { result } = await world.run("print(1)", { settings: { python: "no-such-python" } });
  expect(result.text).toBe(
    "[config] Python cannot be used as 'no-such-python': there is no such program. Set BUB_PYTHON to a Python 3.",
  );
});

test("T0.3 T5.6 run_code is direct and the attach tools are for code; a deferred tool needs no loading inside code", async () => {
  const deferred = defineTool({ name: "later", description: "Deferred.", deferred: true, run: () => "called" });
  const model = scriptedModel([callTool("run_code", { code: "print(await tools.later())" }), say("ok")]);
  await using runtime = await world.open({ model, tools: [deferred] });
  const exposure = (name: string) => runtime.runtime.tools.find(({ tool }) => tool.name === name)?.tool.exposure;
  expect(["run_code", "attach_image", "attach_audio", "attach_video"].map(exposure)).toEqual([
    "direct",
    "code",
    "code",
    "code",
  ]);
  const turn = await runtime.send("go");
  expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain("later");
  if (!noPython) expect(turn.toolResults.at(-1)?.text).toBe("called\n");
});

test.skipIf(noPython)("T8.1 T8.2 the runner and the stub are valid Python 3.8 (needs python3)", () => {
  const odd = defineTool({
    name: "odd-one",
    description: 'Says "quotes"\nand lines.',
    input: {
      type: "object",
      properties: {
        from: { type: "string" },
        ok: { type: ["string", "null"] },
        list: { type: "array", items: { type: "integer" }, default: [1] },
      },
    },
    output: { type: "object", properties: { "a-b": { type: "number" } } },
    run: () => 1,
  });
  const check = "import ast, sys; [ast.parse(text, feature_version=(3, 8)) for text in sys.stdin.read().split('\\0')]";
  execFileSync("python3", ["-c", check], { input: `${bootProgram}\0${buildStub([odd, add])}\0${buildStub([])}` });
  expect(buildStub([odd])).toContain(
    "async def odd_one(self, *, ok: Optional[Union[str, None]] = None, list: List[int] = [1], **others: Any) -> OddOneResult:",
  );
});
