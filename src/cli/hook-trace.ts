// `bub hooks --trace`: one turn, and how long each plugin took in each hook of it.
import type { StepStatus } from "../base/events.ts";
import { jsonLine, toOneLine } from "../base/terminal-text.ts";
import { createOneShot } from "../channels/one-shot/plugin.ts";
import { type HookTiming, HookTrace } from "../kernel/hook-trace.ts";
import type { CommandContext } from "./command-context.ts";
import { openRuntime } from "./open-runtime.ts";
import { type SessionOptions, sessionOf } from "./session-options.ts";
import { renderTable } from "./table.ts";

export interface TraceOptions extends SessionOptions {
  json?: boolean;
}

/** The answer goes to stderr, the timings to stdout. Answers the exit code of the turn. */
export async function runTraced(message: string, options: TraceOptions, context: CommandContext): Promise<number> {
  const { stdout, stderr, stop } = context;
  const hookTrace = new HookTrace();
  using oneShot = createOneShot({ answers: stderr, progress: stderr });
  await using runtime = await openRuntime(context, { plugins: [oneShot.plugin], hookTrace });
  const inbound = { ...sessionOf(options), content: message, commands: true, model: context.options.model };
  let status: StepStatus = "error";
  for await (const event of runtime.run(inbound, { signal: stop.signal })) {
    oneShot.show(event);
    if (event.type === "final") status = event.status;
  }
  const timings = hookTrace.timings().map(rounded);
  stdout.write(options.json === true ? `${jsonLine({ timings })}\n` : render(timings));
  if (status === "cancelled") return stop.exitCode ?? 130;
  return status === "ok" ? 0 : 1;
}

function rounded(timing: HookTiming): HookTiming {
  const toMicroseconds = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000;
  return { ...timing, total_ms: toMicroseconds(timing.total_ms), slowest_ms: toMicroseconds(timing.slowest_ms) };
}

function render(timings: readonly HookTiming[]): string {
  const rows = timings.map(({ plugin, hook, count, total_ms: total, slowest_ms: slowest }) =>
    [plugin, hook, String(count), total.toFixed(1), slowest.toFixed(1)].map(toOneLine),
  );
  return `${renderTable([["plugin", "hook", "calls", "total ms", "slowest ms"], ...rows]).join("\n")}\n`;
}
