import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { createMemoryEnvironment } from "../../src/environment/memory.ts";
import { codeOf, runCodeSteps } from "../../src/testing/code-steps.ts";
import { missing } from "../support/requirements.ts";
import { describeCodeRunner } from "./code-runner.ts";

describeCodeRunner({
  name: "Python of this machine (needs python3)",
  isMissing: missing("python3"),
  async create() {
    const folder = await mkdtemp(join(tmpdir(), "bub-runner-"));
    const environment = createLocalEnvironment({ workspace: folder, home: join(folder, "home") });
    return { environment, dispose: () => rm(folder, { recursive: true }) };
  },
  code: {
    prints: "print('one')\nprint('two', end='')",
    silent: "x = 1",
    calls: "print(await tools.add(a=1, b=2))",
    rescues: "try:\n    await tools.fail()\nexcept BubError as error:\n    print(error.kind, error.message)",
    "fails in a call": "await tools.fail()",
    "unknown tool": "await tools.nothing()",
    raises: "print('before')\nraise ValueError('bad value')",
    hangs: "print('so far', end='')\nwhile True: pass",
    "calls and hangs": "import time\nawait tools.tell()\ntime.sleep(600)",
  },
});

describeCodeRunner({
  name: "steps in this process",
  isMissing: false,
  create: async () => ({
    environment: createMemoryEnvironment({ runCode: runCodeSteps }),
    dispose: async () => undefined,
  }),
  code: {
    prints: codeOf({ print: "one\n" }, { print: "two" }),
    silent: codeOf(),
    calls: codeOf({ call: "add", arguments: { a: 1, b: 2 } }),
    rescues: codeOf({ call: "fail", rescue: true }),
    "fails in a call": codeOf({ call: "fail" }),
    "unknown tool": codeOf({ call: "nothing" }),
    raises: codeOf({ print: "before\n" }, { raise: "ValueError", message: "bad value" }),
    hangs: codeOf({ print: "so far" }, { hang: true }),
    "calls and hangs": codeOf({ call: "tell" }, { hang: true }),
  },
});
