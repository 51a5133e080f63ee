// `bub onboard`: the first set-up, by questions on a terminal or by options, written to config.yml when all is answered.
import { isAbortError } from "../../base/abort.ts";
import { isBubError, messageOf, sentencesOf } from "../../base/errors.ts";
import { neutralise } from "../../base/terminal-text.ts";
import { styled } from "../../base/text-output.ts";
import { type ConfigChange, ConfigFile } from "../../kernel/config-file.ts";
import type { Onboarding } from "../../kernel/onboarding.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { configKeyOf, type SettingName, settingTable } from "../../kernel/setting-table.ts";
import { loadSettings, type SettingSource } from "../../kernel/settings.ts";
import { type CommandContext, UsageError } from "../command-context.ts";
import { Changes, createGivenAnswers } from "../onboarding/given-answers.ts";
import { type OnboardOptions, readAnswers } from "../onboarding/options.ts";
import { openRuntime } from "../open-runtime.ts";
import { wrapWords } from "../wrapped-text.ts";

const example = "bub onboard --model openai:gpt-5 --key-from-env OPENAI_API_KEY";

/** Answers 0 when everything was answered and written, 130 when the person left: then nothing was. */
export async function runOnboard(
  _words: readonly string[],
  options: OnboardOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const isTerminal = process.stdin.isTTY === true && stdout.hasCursor;
  const answers = await readAnswers(options, context);
  const asks = !answers.decides && isTerminal;
  if (!answers.decides && !isTerminal)
    throw new UsageError(
      `bub onboard asks its questions on a terminal, and this is none; its options answer them: ${example}`,
    );
  // The model that is asked for is an answer, not a setting of this process.
  const own = { ...context, options: { ...context.options, model: undefined } };
  await using runtime = await openRuntime(own);
  const file = new ConfigFile(runtime.settings.home);
  const target = await file.target();
  const changes = new Changes();
  const say = (sentence: string) => stderr.write(`${neutralise(runtime.mask.mask(sentence))}\n`);
  const setUp = {
    signal: stop.signal,
    tries: options.noTest !== true,
    config: runtime.loadedSettings.config,
    say,
  };
  let onboarding: Onboarding;
  if (asks) {
    const { createTerminalQuestions } = await import("../onboarding/terminal-questions.ts");
    stdout.write(`${styled(stdout, "bold", "Setting up Bub")}\n`);
    onboarding = await createTerminalQuestions(answers, changes, { ...setUp, output: stdout });
    onboarding.say(
      `What you answer goes to ${target ?? file.path}, readable by you alone. Ctrl-C leaves everything as it is.`,
    );
    if (target !== undefined) onboarding.say(`(${file.path} is a link to it: a key has no place in a shared folder.)`);
  } else onboarding = createGivenAnswers(answers, changes, setUp);
  const failures = await askPlugins(runtime, onboarding, changes);
  if (failures === undefined) {
    stderr.write("bub: nothing was changed.\n");
    return stop.exitCode ?? 130;
  }
  for (const failure of failures) stderr.write(`bub: ${neutralise(runtime.mask.mask(failure))}\n`);
  if (changes.list.length > 0) {
    await file.apply(changes.list);
    report(context, [`${file.path} is written.`, ...(await shadowed(changes.list, own, runtime))], asks);
  }
  if (failures.length === 0 && asks) report(context, ['Next: bub run "what is here?", or bub chat.'], asks);
  return failures.length === 0 ? 0 : 1;
}

/** A sentence for each plugin that failed; undefined when the person left. */
async function askPlugins(runtime: Runtime, onboarding: Onboarding, changes: Changes): Promise<string[] | undefined> {
  const failures: string[] = [];
  for (const { plugin, call } of runtime.hooks.handlers("onboard")) {
    const before = changes.list.length;
    try {
      await call(onboarding, runtime);
    } catch (error) {
      if (isAbortError(error) || onboarding.signal.aborted) return undefined;
      if (error instanceof UsageError) throw error;
      changes.backTo(before);
      failures.push(
        isBubError(error) ? sentencesOf(error) : `plugin "${plugin}" failed in onboard: ${messageOf(error)}`,
      );
    }
  }
  return failures;
}

/** What was written and does not count, since something above config.yml says otherwise. */
async function shadowed(
  changes: readonly ConfigChange[],
  { env }: CommandContext,
  { settings, workspace }: Runtime,
): Promise<string[]> {
  const { sources } = await loadSettings({ flags: { home: settings.home }, env, workspace });
  const names = (Object.keys(settingTable) as SettingName[]).filter((name) =>
    changes.some(({ path }) => path[0] === configKeyOf(name)),
  );
  return names.filter((name) => sources[name] !== "config.yml").map((name) => sentenceOn(name, sources[name]));
}

function sentenceOn(name: SettingName, source: SettingSource): string {
  const place = source === ".env" ? "the workspace's .env" : "the environment";
  return `But ${settingTable[name].env} in ${place} is above it: remove that, or what was written does not count.`;
}

function report({ stdout, stderr }: CommandContext, sentences: readonly string[], asks: boolean): void {
  const output = asks ? stdout : stderr;
  for (const sentence of sentences) {
    const lines = asks ? wrapWords(neutralise(sentence), output.columns) : [neutralise(sentence)];
    for (const line of lines) output.write(`${line}\n`);
  }
}
