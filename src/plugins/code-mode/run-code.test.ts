// What code prints is its result, and tools are functions for it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeWorld, noPython } from "../../../test/support/code-mode-world.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tools/define-tool.ts";

const world = codeWorld();

test.skipIf(noPython)(
  "T8.2 the result is exactly what was printed, by child processes too, and nothing of stderr (needs python3)",
  async () => {
    const { result } = await world.run(`
import subprocess, sys, os
print("a", end="")
print("lost", file=sys.stderr)
subprocess.run(["echo", "from a child"])
os.write(1, b"raw\\n")
print("ü☕")
`);
    expect(result.text).toBe("afrom a child\nraw\nü☕\n");
  },
);

test.skipIf(noPython)(
  "T8.2 nothing printed is the empty text; the workspace is the folder and importable (needs python3)",
  async () => {
    writeFileSync(join(world.folder, "helper.py"), "answer = 42\n");
    expect((await world.run("x = 1")).result.text).toBe("");
    expect((await world.run("import helper, os\nprint(helper.answer, os.getcwd())")).result.text).toBe(
      `42 ${world.folder}\n`,
    );
  },
);

test.skipIf(noPython)("T8.2 two calls share no variable; __main__ is the code's (needs python3)", async () => {
  const model = scriptedModel([
    callTool("run_code", { code: "x = 1" }),
    callTool("run_code", { code: "print('x' in globals(), __name__)" }),
    say("ok"),
  ]);
  await using runtime = await world.open({ model });
  expect((await runtime.send("go")).toolResults[1]?.text).toBe("False __main__\n");
});

test.skipIf(noPython)(
  "T8.2 what the code defines is found in __main__, by pickle and by annotations (needs python3)",
  async () => {
    const { result } = await world.run(`
from __future__ import annotations
import multiprocessing, pickle, typing
class A:
    pass
class B:
    a: A
def twice(number):
    return 2 * number
print(type(pickle.loads(pickle.dumps(A()))).__name__, typing.get_type_hints(B))
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(twice, [1, 2]))
`);
    expect(result.text).toBe("A {'a': <class '__main__.A'>}\n[2, 4]\n");
  },
);

test.skipIf(noPython)("T8.2 modules are found where the user's own Python finds them (needs python3)", async () => {
  const ask = "import site, sys\nprint(site.getusersitepackages(), sys.prefix == sys.base_prefix, sep='\\n', end='')";
  const [userSite = "", isPlain] = (await world.run(ask)).result.text.split("\n");
  const modules = join(world.folder, "modules");
  for (const [folder, name] of [
    [userSite, "installed"],
    [modules, "given"],
    [modules, "json"],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.py`), `NAME = "${name}"\n`);
  }
  // An environment of its own has its own packages only.
  const installed = isPlain === "True" ? "import installed\nprint(installed.NAME)" : "print('installed')";
  const code = `${installed}\nimport given, json\nprint(given.NAME, json.NAME, await tools.math_add(a=1))`;
  const { result } = await world.run(code, { env: { PYTHONPATH: modules } });
  expect(result.text).toBe("installed\ngiven json {'sum': 2}\n");
});

test.skipIf(noPython)("T1.4 code sees the user's environment without any provider's key (needs python3)", async () => {
  const { result } = await world.run("import os\nprint(os.environ.get('MINE'), os.environ.get('OPENAI_API_KEY'))");
  expect(result.text).toBe("1 None\n");
});

test.skipIf(noPython)(
  "T8.3 tools are called with keywords, also at once, and give their value; hooks see each call (needs python3)",
  async () => {
    const seen: [string, string][] = [];
    const plugin = definePlugin({
      name: "seeing",
      beforeToolCall: ({ name, origin }) => void seen.push([name, origin]),
    });
    const { result, turn, entries } = await world.run(
      `
import asyncio
print(await asyncio.gather(*[tools.math_add(a=i) for i in range(3)]))
`,
      { plugins: [plugin] },
    );
    expect(result.text).toBe("[{'sum': 1}, {'sum': 2}, {'sum': 3}]\n");
    expect(seen.filter(([name]) => name === "math.add")).toEqual(Array(3).fill(["math.add", "code"]));
    expect(turn.toolResults.filter(({ name }) => name === "math_add")).toHaveLength(3);
    const step = entries.find(({ payload }) => payload.name === "run");
    expect(step?.payload.data).toMatchObject({ nested: { math_add: 3 } });
    const [, next] = entries.filter(({ payload }) => payload.name === "run");
    expect(next?.payload.data).not.toHaveProperty("nested");
    expect(entries.filter(({ kind }) => kind === "tool_result")).toHaveLength(1);
  },
);

test.skipIf(noPython)(
  "T8.3 positional arguments and unknown names are Python errors, the latter with close names (needs python3)",
  async () => {
    expect((await world.run("await tools.math_add(1)")).result.text).toContain(
      "Code raised TypeError: tools.math_add() takes keyword arguments only",
    );
    expect((await world.run("await tools.math_ad(a=1)")).result.text).toContain(
      "Code raised AttributeError: there is no tool 'math_ad'; did you mean math_add",
    );
    expect((await world.run("await tools.run_code(code='1')")).result.text).toContain(
      "Code raised AttributeError: there is no tool 'run_code' inside code; call run_code directly",
    );
  },
);

test.skipIf(noPython)(
  "T8.3 a failing tool raises BubError with kind, message and details (needs python3)",
  async () => {
    const { result } = await world.run(`
try:
    await tools.math_add(b=1)
except BubError as error:
    print(error.kind, error.message, sorted(error.details))
`);
    expect(result.text).toBe("invalid_input Tool 'math_add' argument validation failed. ['errors']\n");
  },
);

test.skipIf(noPython)("T8.3 a call that is not waited for is cancelled with the code (needs python3)", async () => {
  let aborted: () => void = () => undefined;
  const cancelled = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  const hang = defineTool({
    name: "hang",
    description: "Wait.",
    run: (_args, { signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          aborted();
          reject(signal.reason);
        }),
      ),
  });
  const { result } = await world.run(
    "import asyncio\ntry:\n  await asyncio.wait_for(tools.hang(), 0.2)\nexcept asyncio.TimeoutError:\n  print('gone on')",
    { tools: [hang] },
  );
  expect(result.text).toBe("gone on\n");
  await cancelled;
});

test.skipIf(noPython)(
  "T0.8 a nested exclusive call waits for the other calls of the same code, and has no limit above it (needs python3)",
  async () => {
    const running = new Set<string>();
    const overlaps: string[] = [];
    const busy = (name: string, exclusive: boolean) =>
      defineTool({
        name,
        description: "Be busy.",
        exclusive,
        async run() {
          if (exclusive && running.size > 0) overlaps.push(`${name} beside ${[...running]}`);
          if (running.has("alone")) overlaps.push(`${name} beside alone`);
          running.add(name);
          await new Promise((resolve) => setTimeout(resolve, 20));
          running.delete(name);
          return name;
        },
      });
    const tools = [busy("one", false), busy("two", false), busy("alone", true)];
    const { result } = await world.run(
      "import asyncio\nprint(await asyncio.gather(tools.one(), tools.two(), tools.alone(), tools.two()))",
      {
        tools,
        settings: { maxToolConcurrency: 1 },
      },
    );
    expect(result.text).toBe("['one', 'two', 'alone', 'two']\n");
    expect(overlaps).toEqual([]);
  },
);

test.skipIf(noPython)("T0.11 calls from code stop before render: the code gets the value (needs python3)", async () => {
  const rendered = defineTool({
    name: "rendered",
    description: "A value.",
    run: () => ({ n: 1 }),
    render: () => "never for code",
  });
  expect((await world.run("print(await tools.rendered())", { tools: [rendered] })).result.text).toBe("{'n': 1}\n");
});

test.skipIf(noPython)(
  "T8.2 T8.4 files of the workspace with the names of Python's own modules are the code's, and break nothing (needs python3)",
  async () => {
    const names = ["asyncio", "json", "logging", "string", "token", "traceback"];
    for (const name of names) writeFileSync(join(world.folder, `${name}.py`), "MINE = 1\n");
    mkdirSync(join(world.folder, "difflib"));
    writeFileSync(join(world.folder, "difflib", "__init__.py"), "MINE = 1\n");
    const called = await world.run(
      "import json, token, difflib\nprint(json.MINE, token.MINE, difflib.MINE, await tools.math_add(a=1))",
    );
    expect(called.result.text).toBe("1 1 1 {'sum': 2}\n");
    const wrong = await world.run("import json\ntools.math_ad");
    expect(wrong.result.text).toContain(
      "Code raised AttributeError: there is no tool 'math_ad'; did you mean math_add",
    );
    expect(wrong.result.text).toContain('File "<code>", line 2, in <module>');
  },
);

test.skipIf(noPython)(
  "T8.5 printing from threads, stray bytes and large results do not break the talk (needs python3)",
  async () => {
    const large = defineTool({ name: "large", description: "A lot.", run: () => "x".repeat(5_000_000) });
    const { result } = await world.run(
      `
import threading, os
t = threading.Thread(target=lambda: print("from a thread"))
t.start(); t.join()
os.write(1, b'{"t": "done"}\\n')
print(len(await tools.large()), len((await tools.large()).strip("x")))
`,
      { tools: [large] },
    );
    expect(result.text).toBe('from a thread\n{"t": "done"}\n5000000 0\n');
  },
);

test.skipIf(noPython)(
  "T8.5 code that closes its standard output, or puts another there, has ended well (needs python3)",
  async () => {
    for (const end of ["sys.stdout.close()", "sys.stdout = None"]) {
      const { result } = await world.run(`import sys\nprint("said")\n${end}`);
      expect(result.text).toBe("said\n");
    }
  },
);
