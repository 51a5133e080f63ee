// What the model says in the demo, written down beforehand; what the tools answer is up to the tools.
import type { JsonObject } from "../../base/json.ts";

/** What the person asks. */
export const question = "A test of this project fails. Find out why, and fix it.";

/** @param wordDelayMs between words, so that it reads as in life; 0 for nobody watching */
export function demoScript(wordDelayMs: number): JsonObject {
  const say = (text: string, ...calls: JsonObject[]): JsonObject => ({
    text,
    ...(wordDelayMs > 0 && { chunk_delay_ms: wordDelayMs }),
    ...(calls.length > 0 && { calls }),
  });
  return {
    answers: [
      say("I read the code and its tests first.", read("slugify.js"), read("test/slugify.test.js")),
      say("Now I run the tests, to see it fail.", runTests),
      say("`replace` with a text replaces only the first blank. I make it replace all of them.", {
        name: "fs.edit",
        arguments: { path: "slugify.js", old: '.replace(" ", "-")', new: '.replaceAll(" ", "-")' },
      }),
      say("The same tests again.", runTests),
      {
        ...say(
          "Fixed: `slugify` replaced only the first blank of a title; now it replaces all of them, and both tests pass.",
        ),
        when: { step: 5, tool: "bash", result: "fail 0" },
      },
      say(
        "The tests still fail here, so something about this machine is not as I expected; the output above says more.",
      ),
    ],
  };
}

const runTests: JsonObject = { name: "bash", arguments: { command: "node --test" } };

function read(path: string): JsonObject {
  return { name: "fs.read", arguments: { path } };
}
