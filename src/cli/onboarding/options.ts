// The options of `bub onboard` as answers. A key is never an option's value: every process of the machine could read it.
import { type CommandContext, UsageError } from "../command-context.ts";
import type { Answers } from "./given-answers.ts";

export interface OnboardOptions {
  provider?: string;
  providerName?: string;
  apiBase?: string;
  /** Name of a variable. */
  keyFromEnv?: string;
  keyStdin?: boolean;
  /** Each `name=value`, for the questions of plugins. */
  answer?: readonly string[];
  noTest?: boolean;
}

export interface OptionAnswers extends Answers {
  /** True when the options stand for the whole conversation: nothing is asked then. */
  readonly decides: boolean;
}

/** Bytes; no key is longer. */
const longestKey = 16 * 1024;

/** @throws UsageError */
export async function readAnswers(options: OnboardOptions, context: CommandContext): Promise<OptionAnswers> {
  const { model } = context.options;
  const texts = new Map(modelAnswers(options, model));
  for (const text of options.answer ?? []) {
    const equals = text.indexOf("=");
    if (equals < 1) throw new UsageError(`--answer is '${text}', but must be a question's name, =, and the answer.`);
    texts.set(text.slice(0, equals), text.slice(equals + 1));
  }
  const decides = [options.provider, options.apiBase, options.keyFromEnv, options.keyStdin, model].some(
    (given) => given !== undefined,
  );
  return { texts, decides, key: await readKey(options, context) };
}

function* modelAnswers(
  { provider, providerName, apiBase }: OnboardOptions,
  model: string | undefined,
): Generator<[string, string]> {
  const colon = model?.indexOf(":") ?? -1;
  if (provider !== undefined) yield ["provider", provider];
  else if (model !== undefined) {
    if (colon < 1) throw new UsageError(`--model is '${model}': write provider:model, or give --provider, too.`);
    yield ["provider", model.slice(0, colon)];
  }
  if (apiBase !== undefined) yield ["api-base", apiBase];
  if (providerName !== undefined) yield ["provider-name", providerName];
  if (model !== undefined) yield ["model", provider === undefined ? model.slice(colon + 1) : model];
}

async function readKey({ keyFromEnv, keyStdin }: OnboardOptions, context: CommandContext): Promise<string | undefined> {
  if (keyFromEnv !== undefined && keyStdin === true)
    throw new UsageError("--key-from-env and --key-stdin: one of them is enough.");
  if (keyFromEnv !== undefined) {
    const key = context.env[keyFromEnv]?.trim() ?? "";
    if (key !== "") return key;
    const isKey = !/^[A-Za-z_][A-Za-z0-9_]*$/.test(keyFromEnv);
    const what = isKey ? "what --key-from-env names is no variable" : `the variable ${keyFromEnv} is not set`;
    throw new UsageError(`${what}; it takes the name of a variable that holds the key, never the key itself.`);
  }
  if (keyStdin !== true) return undefined;
  if (process.stdin.isTTY === true)
    throw new UsageError("--key-stdin reads the key from a pipe or a file: bub onboard … --key-stdin < key.txt");
  const key = (await readAll(context)).trim();
  if (key === "") throw new UsageError("--key-stdin: there is no key on stdin.");
  return key;
}

async function readAll({ openStdin, stop }: CommandContext): Promise<string> {
  const { untilAborted } = await import("../../base/abort.ts");
  const read = async () => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of openStdin()) {
      chunks.push(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).byteLength;
      if (bytes > longestKey)
        throw new UsageError(`--key-stdin: that is more than ${longestKey} bytes, which no key has.`);
    }
    return Buffer.concat(chunks).toString("utf8");
  };
  return untilAborted(read(), stop.signal);
}
