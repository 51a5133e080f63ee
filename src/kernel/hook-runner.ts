// Asks the plugins of one runtime: order, combination and isolation of every hook.
import { BubError, isBubError, messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { misfitOf } from "./hook-answers.ts";
import type { HookTrace } from "./hook-trace.ts";
import { type HookKind, type HookName, type Hooks, type HooksOf, hookKinds } from "./hooks.ts";
import type { Plugin } from "./plugin.ts";

type Arguments<Name extends HookName> = Parameters<Hooks[Name]>;
type Answer<Name extends HookName> = NonNullable<Awaited<ReturnType<Hooks[Name]>>>;

/** One plugin's part in a hook; a failure comes out as an error that names both. */
export interface HookHandler<Name extends HookName> {
  readonly plugin: string;
  readonly call: (...args: Arguments<Name>) => ReturnType<Hooks[Name]>;
}

export interface HookReport {
  readonly hook: HookName;
  readonly kind: HookKind;
  /** In the order in which they are asked. */
  readonly plugins: readonly string[];
}

export class HookRunner {
  readonly #handlers = new Map<HookName, readonly HookHandler<HookName>[]>();
  readonly #log: Logger;

  /**
   * @param plugins in order of registration: builtins first, newest last
   * @param trace times every call; without it there is nothing between
   */
  constructor(plugins: readonly Plugin[], log: Logger, trace?: HookTrace) {
    this.#log = log;
    for (const hook of Object.keys(hookKinds) as HookName[]) {
      const handlers = plugins.flatMap((plugin) =>
        plugin[hook] === undefined ? [] : [handlerOf(plugin, hook, trace)],
      );
      if (newestFirst(hookKinds[hook])) handlers.reverse();
      this.#handlers.set(hook, handlers);
    }
  }

  /** Those who take part, in the order in which they are asked. */
  handlers<Name extends HookName>(hook: Name): readonly HookHandler<Name>[] {
    return this.#handlers.get(hook) as unknown as readonly HookHandler<Name>[];
  }

  /** The newest plugin's answer that is not undefined. A failure is thrown: it decides something. */
  async first<Name extends HooksOf<"first">>(hook: Name, ...args: Arguments<Name>): Promise<Answer<Name> | undefined> {
    for (const handler of this.handlers(hook)) {
      const answer = await attributed(handler, hook, args);
      if (answer !== undefined) return answer as Answer<Name>;
    }
    return undefined;
  }

  /** As `first`, for the hook whose answer is a stream: whoever answers starts it. */
  firstStream(...args: Arguments<"runModel">): ReturnType<Hooks["runModel"]> {
    for (const handler of this.handlers("runModel")) {
      try {
        const stream = handler.call(...args);
        refuseMisfit("runModel", stream);
        if (stream !== undefined) return stream;
      } catch (error) {
        throw pluginError(handler.plugin, "runModel", error);
      }
    }
    return undefined;
  }

  /** Everyone's answers, in order of registration. A plugin that fails, or answers something else, is logged and left out. */
  async collect<Name extends HooksOf<"collect">>(
    hook: Name,
    ...args: Arguments<Name>
  ): Promise<{ plugin: string; answer: Answer<Name> }[]> {
    const found: { plugin: string; answer: Answer<Name> }[] = [];
    for (const handler of this.handlers(hook)) {
      const answer = await this.#quietly(handler, hook, args);
      const misfit = misfitOf(hook, answer);
      if (misfit !== undefined) this.#log.error("hook failed", { plugin: handler.plugin, hook, error: misfit });
      else if (answer !== undefined) found.push({ plugin: handler.plugin, answer: answer as Answer<Name> });
    }
    return found;
  }

  /** One object of everyone's answers; later plugins overwrite keys. A failure is thrown. */
  async merge<Name extends HooksOf<"merge">>(hook: Name, ...args: Arguments<Name>): Promise<Answer<Name>> {
    const merged = {};
    for (const handler of this.handlers(hook)) Object.assign(merged, await attributed(handler, hook, args));
    return merged as Answer<Name>;
  }

  /** The value after everyone changed it in turn; undefined leaves it as it is. A failure is thrown. */
  async chain<Name extends "prepareMessage" | "prepareTools" | "beforeModelCall">(
    hook: Name,
    ...[value, turn]: Arguments<Name>
  ): Promise<Arguments<Name>[0]> {
    let current = value as unknown;
    for (const handler of this.handlers(hook)) {
      const answer = await attributed(handler, hook, [current, turn] as unknown as Arguments<Name>);
      if (answer !== undefined) current = answer;
    }
    return current as Arguments<Name>[0];
  }

  /** Tells everyone; failures are logged and stop nobody. */
  async notify<Name extends HooksOf<"notify">>(hook: Name, ...args: Arguments<Name>): Promise<void> {
    for (const handler of this.handlers(hook)) await this.#quietly(handler, hook, args);
  }

  report(): readonly HookReport[] {
    return (Object.keys(hookKinds) as HookName[]).map((hook) => ({
      hook,
      kind: hookKinds[hook],
      plugins: this.handlers(hook).map(({ plugin }) => plugin),
    }));
  }

  async #quietly<Name extends HookName>(
    handler: HookHandler<Name>,
    hook: Name,
    args: Arguments<Name>,
  ): Promise<unknown> {
    try {
      return await attributed(handler, hook, args);
    } catch (error) {
      this.#log.error("hook failed", { plugin: handler.plugin, hook, error });
      return undefined;
    }
  }
}

/** Calls a handler; what it throws names the plugin and the hook, and so does an error about an answer that is none. */
export async function attributed<Name extends HookName>(
  handler: HookHandler<Name>,
  hook: Name,
  args: Arguments<Name>,
): Promise<unknown> {
  try {
    const answer = await handler.call(...args);
    if (hookKinds[hook] !== "collect") refuseMisfit(hook, answer);
    return answer;
  } catch (error) {
    throw pluginError(handler.plugin, hook, error);
  }
}

function refuseMisfit(hook: HookName, answer: unknown): void {
  const misfit = misfitOf(hook, answer);
  if (misfit === undefined) return;
  // An async function where none is meant: nobody else waits for what becomes of it.
  if (answer instanceof Promise) answer.catch(() => undefined);
  throw new Error(misfit);
}

/** The error of a plugin's hook, with both named. Cancelling passes through as it is. */
export function pluginError(plugin: string, hook: string, error: unknown): unknown {
  if (error instanceof Error && (error.name === "AbortError" || error.name === "CancelledError")) return error;
  const kind = isBubError(error) ? error.kind : "unknown";
  return new BubError(kind, `plugin "${plugin}" failed in ${hook}: ${messageOf(error)}`, {
    cause: error,
    details: isBubError(error) ? error.details : undefined,
    hint: isBubError(error) ? error.hint : undefined,
  });
}

function handlerOf(plugin: Plugin, hook: HookName, trace: HookTrace | undefined): HookHandler<HookName> {
  const method = plugin[hook] as (...args: unknown[]) => never;
  const call = (...args: unknown[]) => method.apply(plugin, args);
  return {
    plugin: plugin.name,
    call: trace === undefined ? call : (trace.timed(plugin.name, hook, call) as typeof call),
  };
}

function newestFirst(kind: HookKind): boolean {
  return kind === "first" || kind === "chain";
}
