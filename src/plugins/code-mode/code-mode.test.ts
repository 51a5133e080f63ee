import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { missing } from "../../../test/support/requirements.ts";
import { CancelledError } from "../../base/abort.ts";
import { processesWithEnvironment } from "../../base/processes.ts";
import { bootProgram } from "../../environment/python/boot.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { type TestRuntime, type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { buildStub } from "./stub.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bub-code-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const noPython = missing("python3");
const add = defineTool({
  name: "math.add",
  description: "Add two numbers.",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number", default: 1 } }, required: ["a"] },
  run: ({ a, b }) => ({ sum: Number(a) + Number(b ?? 1) }),
});

type Options = TestRuntimeOptions & { timeout?: number };

async function open(options: TestRuntimeOptions): Promise<TestRuntime> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    OPENAI_API_KEY: "sk-visible-to-shells",
    MINE: "1",
    ...options.env,
  };
  const settings = { home: join(folder, "home"), ...options.settings };
  const runtime = await testRuntime({ environment: null, workspace: folder, ...options, env, settings });
  await runtime.send(",code_mode enable=true");
  return runtime;
}

/** Runs code as a model's call and answers the call's result. */
async function run(code: string, { timeout, tools = [add], ...options }: Options = {}) {
  const args = { code, ...(timeout !== undefined && { timeout_seconds: timeout }) };
  const model = scriptedModel([callTool("run_code", args), say("ok")]);
  await using runtime = await open({ ...options, tools, model });
  const turn = await runtime.send("go");
  expect(turn.errors).toEqual([]);
  const results = turn.toolResults.filter(({ name }) => name === "run_code");
  return { result: results[0] as (typeof results)[0], turn, model, entries: await runtime.entries() };
}

test.skipIf(noPython)(
  "T8.2 the result is exactly what was printed, by child processes too, and nothing of stderr (needs python3)",
  async () => {
    const { result } = await run(`
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
    writeFileSync(join(folder, "helper.py"), "answer = 42\n");
    expect((await run("x = 1")).result.text).toBe("");
    expect((await run("import helper, os\nprint(helper.answer, os.getcwd())")).result.text).toBe(`42 ${folder}\n`);
  },
);

test.skipIf(noPython)("T8.2 two calls share no variable; __main__ is the code's (needs python3)", async () => {
  const model = scriptedModel([
    callTool("run_code", { code: "x = 1" }),
    callTool("run_code", { code: "print('x' in globals(), __name__)" }),
    say("ok"),
  ]);
  await using runtime = await open({ model });
  expect((await runtime.send("go")).toolResults[1]?.text).toBe("False __main__\n");
});

test.skipIf(noPython)(
  "T8.3 tools are called with keywords, also at once, and give their value; hooks see each call (needs python3)",
  async () => {
    const seen: [string, string][] = [];
    const plugin = definePlugin({
      name: "seeing",
      beforeToolCall: ({ name, origin }) => void seen.push([name, origin]),
    });
    const { result, turn, entries } = await run(
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
    expect(entries.filter(({ kind }) => kind === "tool_result")).toHaveLength(1);
  },
);

test.skipIf(noPython)(
  "T8.3 positional arguments and unknown names are Python errors, the latter with close names (needs python3)",
  async () => {
    expect((await run("await tools.math_add(1)")).result.text).toContain(
      "Code raised TypeError: tools.math_add() takes keyword arguments only",
    );
    expect((await run("await tools.math_ad(a=1)")).result.text).toContain(
      "Code raised AttributeError: there is no tool 'math_ad'; did you mean math_add",
    );
    expect((await run("await tools.run_code(code='1')")).result.text).toContain(
      "Code raised AttributeError: there is no tool 'run_code' inside code; call run_code directly",
    );
  },
);

test.skipIf(noPython)(
  "T8.3 a failing tool raises BubError with kind, message and details (needs python3)",
  async () => {
    const { result } = await run(`
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
  const { result } = await run(
    "import asyncio\ntry:\n  await asyncio.wait_for(tools.hang(), 0.2)\nexcept asyncio.TimeoutError:\n  print('gone on')",
    { tools: [hang] },
  );
  expect(result.text).toBe("gone on\n");
  await cancelled;
});

test.skipIf(noPython)(
  "T8.4 what the code raises has its type, its output and only its own lines (needs python3)",
  async () => {
    const { result } = await run("def half(x):\n    return x / 0\nprint('before')\nhalf(1)");
    const lines = result.text.split("\n");
    expect(lines[0]).toBe("[tool] Code raised ZeroDivisionError: division by zero");
    expect(result.text).toContain("before");
    expect(result.text).toContain('File "<code>", line 4, in <module>');
    expect(result.text).not.toMatch(/File "(?!<code>)/);
    expect(result.is_error).toBe(true);
  },
);

test.skipIf(noPython)(
  "T8.4 bad syntax, recursion, SystemExit and os._exit each have a defined end (needs python3)",
  async () => {
    expect((await run("x = (")).result.text).toContain("Code raised SyntaxError");
    expect((await run("def f(): f()\nf()")).result.text).toContain("Code raised RecursionError");
    expect((await run("import sys\nprint('bye')\nsys.exit()")).result.text).toBe("bye\n");
    expect((await run("import sys\nsys.exit(3)")).result.text).toContain("Code raised SystemExit: 3");
    const died = (await run("import os, sys\nprint('so far')\nprint('why', file=sys.stderr)\nos._exit(7)")).result.text;
    expect(died).toContain("Code runner exited unexpectedly with code 7");
    expect(died).toContain("so far");
    expect(died).toContain("why");
  },
);

test.skipIf(noPython)(
  "T8.4 T8.5 a time-out keeps the output so far, without a newline too, and ends the whole group (needs python3)",
  async () => {
    const code = "import subprocess\nsubprocess.Popen(['sleep', '600'])\nprint('so far', end='')\nwhile True: pass";
    const { result } = await run(code, { timeout: 0.7 });
    expect(result.text).toContain("Code timed out after 0.7 seconds");
    expect(result.text).toContain("so far");
    expect(processesWithEnvironment(`HOME=${folder}`)).toEqual([]);
  },
);

test.skipIf(noPython)("T8.4 cancelling ends the code, and nothing is left (needs python3)", async () => {
  const stop = new AbortController();
  const started = defineTool({
    name: "started",
    description: "Say so.",
    run: () => void stop.abort(new CancelledError()),
  });
  const code = "import time\nawait tools.started()\ntime.sleep(600)";
  const model = scriptedModel([callTool("run_code", { code })]);
  await using runtime = await open({ model, tools: [started] });
  expect((await runtime.send("go", { signal: stop.signal })).status).toBe("cancelled");
  expect(processesWithEnvironment(`HOME=${folder}`)).toEqual([]);
});

test.skipIf(noPython)(
  "T8.5 printing from threads, stray bytes and large results do not break the talk (needs python3)",
  async () => {
    const large = defineTool({ name: "large", description: "A lot.", run: () => "x".repeat(5_000_000) });
    const { result } = await run(
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
      const { result } = await run(`import sys\nprint("said")\n${end}`);
      expect(result.text).toBe("said\n");
    }
  },
);

test.skipIf(noPython)("T1.4 code sees the user's environment without any provider's key (needs python3)", async () => {
  const { result } = await run("import os\nprint(os.environ.get('MINE'), os.environ.get('OPENAI_API_KEY'))");
  expect(result.text).toBe("1 None\n");
});

test.skipIf(noPython)(
  "T8.6 media are attached in order: a path, an object, a URL; each says so (needs python3)",
  async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
    writeFileSync(join(folder, "a.png"), Buffer.from(png, "base64"));
    const { result } = await run(`
import base64
print(await tools.attach_image(image="a.png"))
await tools.attach_image(image=republic.Image(data=base64.b64decode("${png}"), media_type="image/png"))
await tools.attach_audio(audio=republic.Audio(url="https://example.com/a.mp3"))
`);
    expect(result.value).toMatchObject([
      { type: "text", text: "attached [image: image/png, 1x1, 67 bytes]\n" },
      { type: "image", media_type: "image/png", data: png, width: 1 },
      { type: "image", media_type: "image/png", data: png },
      { type: "audio", media_type: "audio/mpeg", url: "https://example.com/a.mp3" },
    ]);
  },
);

test.skipIf(noPython)(
  "T8.6 another kind, a missing file and an unknown type are clear errors (needs python3)",
  async () => {
    writeFileSync(join(folder, "a.txt"), "no picture");
    const code = `
for source in ["none.png", "a.txt", "https://example.com/a.mp3", 7]:
    try:
        await tools.attach_image(image=source)
    except BubError as error:
        print(error.message)
`;
    const lines = (await run(code)).result.text.trim().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain("none.png");
    expect(lines[1]).toContain("a.txt is no PNG, JPEG, GIF or WebP");
    expect(lines[2]).toContain("https://example.com/a.mp3 is audio/mpeg");
  },
);

test("T8.6 outside of code: run_code and attach_* say where they belong", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([]) });
  expect((await runtime.send(",run_code code='print(1)'")).errors[0]).toContain(
    "Code mode is not enabled for this run.",
  );
  const attach = runtime.runtime.tools.find(({ tool }) => tool.name === "attach_image")?.tool;
  await expect(attach?.run({ image: "a.png" }, { callId: "call_1" } as never)).rejects.toThrow(
    "tools.attach_image can only be called from run_code.",
  );
});

test("T8.1 code mode offers direct tools and run_code; the stub of the others is valid, stable and named in the prompt", async () => {
  const model = scriptedModel([say("1"), say("2")]);
  await using runtime = await open({ model, tools: [add] });
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
  await using runtime = await open({ model, tools: [add] });
  await runtime.send("one", { allowedTools: ["math.add"] });
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["math_add"]);
  expect(model.requests[0]?.system).not.toContain("<code_mode>");
});

test("T8.2 without Python one error names BUB_PYTHON, and everything else works", async () => {
  const { result } = await run("print(1)", { settings: { python: "no-such-python" } });
  expect(result.text).toBe(
    "[config] Python cannot be used as 'no-such-python': there is no such program. Set BUB_PYTHON to a Python 3.",
  );
});

test("T0.3 T5.6 run_code is direct and the attach tools are for code; a deferred tool needs no loading inside code", async () => {
  const deferred = defineTool({ name: "later", description: "Deferred.", deferred: true, run: () => "called" });
  const model = scriptedModel([callTool("run_code", { code: "print(await tools.later())" }), say("ok")]);
  await using runtime = await open({ model, tools: [deferred] });
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
    const { result } = await run(
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
  expect((await run("print(await tools.rendered())", { tools: [rendered] })).result.text).toBe("{'n': 1}\n");
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

test.skipIf(noPython)(
  "T8.4 closed stdin, a memory limit and a fork that outlives the code have a defined end, and nothing is left (needs python3)",
  async () => {
    expect((await run("input()")).result.text).toContain("Code raised EOFError");
    const memory =
      "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\nx = bytearray(1 << 30)";
    expect((await run(memory)).result.text).toContain("Code raised MemoryError");
    const fork = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('parent')";
    expect((await run(fork)).result.text).toBe("parent\n");
    expect(processesWithEnvironment(`HOME=${folder}`)).toEqual([]);
  },
);
