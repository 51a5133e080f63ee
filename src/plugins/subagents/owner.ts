// Says that the tasks of this runtime have a living owner: a lease that lasts as long as the runtime.
import { randomHex, type TapeId } from "../../base/ids.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { Lease, LeasePort } from "../../tape/store.ts";

const forever = new AbortController().signal;
const whose = "subagents";

export class TaskOwner implements AsyncDisposable {
  /** What records name; nobody writes a tape of that name. */
  readonly id = `tasks__${randomHex(16)}` as TapeId;
  #lease: Promise<Lease> | undefined;

  /** Takes the lease before the first task. */
  async claim({ storage }: Runtime): Promise<void> {
    this.#lease ??= storage.leases.acquire(this.id, { sessionId: whose, signal: forever });
    try {
      await this.#lease;
    } catch (error) {
      this.#lease = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const lease = await this.#lease?.catch(() => undefined);
    await lease?.[Symbol.asyncDispose]();
  }
}

/** True while the runtime that recorded a task is there, in whatever process. */
export async function isOwnerAlive(owner: unknown, leases: LeasePort): Promise<boolean> {
  if (typeof owner !== "string" || !/^tasks__[0-9a-f]{16}$/.test(owner)) return false;
  return (await leases.holder(owner as TapeId)) !== undefined;
}

/** Takes away what a dead owner left. */
export async function buryOwner(owner: unknown, leases: LeasePort): Promise<void> {
  if (typeof owner !== "string" || !/^tasks__[0-9a-f]{16}$/.test(owner)) return;
  const lease = await leases.acquire(owner as TapeId, { sessionId: whose, signal: forever, wait: false });
  await lease[Symbol.asyncDispose]();
}
