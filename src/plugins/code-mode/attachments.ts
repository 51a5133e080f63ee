// Media that code attached to its result, in order.
import type { MediaPart } from "../../base/content.ts";

export class Attachments {
  readonly #byCode = new Map<string, MediaPart[]>();

  /** @param codeCall the id of the `run_code` call */
  begin(codeCall: string): void {
    this.#byCode.set(codeCall, []);
  }

  /** False when that call is no nested one of code that is running. */
  add(nestedCall: string, part: MediaPart): boolean {
    const attached = this.#byCode.get(codeCallOf(nestedCall));
    attached?.push(part);
    return attached !== undefined;
  }

  isOpen(nestedCall: string): boolean {
    return this.#byCode.has(codeCallOf(nestedCall));
  }

  /** Hands over what was attached and forgets the call. */
  take(codeCall: string): readonly MediaPart[] {
    const attached = this.#byCode.get(codeCall) ?? [];
    this.#byCode.delete(codeCall);
    return attached;
  }
}

/** The id of the `count`-th call that the code of `codeCall` makes. */
export function nestedCallId(codeCall: string, count: number): string {
  return `${codeCall}/${count}`;
}

function codeCallOf(nestedCall: string): string {
  return nestedCall.slice(0, Math.max(0, nestedCall.lastIndexOf("/")));
}
