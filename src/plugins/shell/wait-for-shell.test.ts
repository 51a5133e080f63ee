import { getEventListeners } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { gate } from "../../../test/support/conversations.ts";
import { CancelledError } from "../../base/abort.ts";
import { waitForShell } from "./wait-for-shell.ts";

test.each(["exited", "timeout", "aborted"] as const)(
  "T2.3 R1.7 a wait that ends as %s leaves no timer and no listener behind",
  async (end) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const over = gate();
    const cancel = new AbortController();
    const shell = { process: { ending: undefined }, ended: over.pass().then(() => ({ exitCode: 0 })) };
    const waiting = waitForShell(shell as never, 5_000, cancel.signal);
    if (end === "exited") over.open();
    else if (end === "timeout") vi.advanceTimersByTime(5_000);
    else cancel.abort(new CancelledError());
    expect(await waiting).toBe(end);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(cancel.signal, "abort")).toEqual([]);
  },
);
