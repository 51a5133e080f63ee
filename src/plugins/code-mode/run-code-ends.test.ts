// How code ends: by itself, by what it raises, by the time, by a person; and that nothing of it is left.
import { expect, test } from "vitest";
import { codeWorld, noPython } from "../../../test/support/code-mode-world.ts";
import { CancelledError } from "../../base/abort.ts";
import { processesWithEnvironment } from "../../base/processes.ts";
import { callTool, scriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tools/define-tool.ts";

const world = codeWorld();

test.skipIf(noPython)(
  "T8.4 an exception that cannot be put into words is named by its type (needs python3)",
  async () => {
    const { result } = await world.run(
      "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\nraise Odd()",
    );
    expect(result.text).toMatch(/^\[tool\] Code raised Odd: \(no message\)\ntraceback:\n/);
    expect(result.text).toContain('File "<code>", line 4, in <module>');
  },
);

test.skipIf(noPython)(
  "T8.4 what the code raises has its type, its output and only its own lines (needs python3)",
  async () => {
    const { result } = await world.run("def half(x):\n    return x / 0\nprint('before')\nhalf(1)");
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
    expect((await world.run("x = (")).result.text).toContain("Code raised SyntaxError");
    expect((await world.run("def f(): f()\nf()")).result.text).toContain("Code raised RecursionError");
    expect((await world.run("import sys\nprint('bye')\nsys.exit()")).result.text).toBe("bye\n");
    expect((await world.run("import sys\nsys.exit(3)")).result.text).toContain("Code raised SystemExit: 3");
    const died = (await world.run("import os, sys\nprint('so far')\nprint('why', file=sys.stderr)\nos._exit(7)")).result
      .text;
    expect(died).toContain("Code runner exited unexpectedly with code 7");
    expect(died).toContain("so far");
    expect(died).toContain("why");
  },
);

test.skipIf(noPython)(
  "T8.4 T8.5 a time-out keeps the output so far, without a newline too, and ends the whole group (needs python3)",
  async () => {
    const code = "import subprocess\nsubprocess.Popen(['sleep', '600'])\nprint('so far', end='')\nwhile True: pass";
    const { result } = await world.run(code, { timeout: 0.7 });
    expect(result.text).toContain("Code timed out after 0.7 seconds");
    expect(result.text).toContain("so far");
    expect(processesWithEnvironment(`HOME=${world.folder}`)).toEqual([]);
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
  await using runtime = await world.open({ model, tools: [started] });
  expect((await runtime.send("go", { signal: stop.signal })).status).toBe("cancelled");
  expect(processesWithEnvironment(`HOME=${world.folder}`)).toEqual([]);
});

test.skipIf(noPython)(
  "T8.4 closed stdin, a memory limit and a fork that outlives the code have a defined end, and nothing is left (needs python3)",
  async () => {
    expect((await world.run("input()")).result.text).toContain("Code raised EOFError");
    const memory =
      "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\nx = bytearray(1 << 30)";
    expect((await world.run(memory)).result.text).toContain("Code raised MemoryError");
    const fork = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('parent')";
    expect((await world.run(fork)).result.text).toBe("parent\n");
    expect(processesWithEnvironment(`HOME=${world.folder}`)).toEqual([]);
  },
);
