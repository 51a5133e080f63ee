// Which results a call has shown to the model: they count as read once the call's own result is on the tape.
import type { TaskId } from "../../base/ids.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { Outcome, ToolCall } from "../../tools/interception.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { UnreadEnd } from "./recall.ts";

/** Call of a step, or the code of a `run_code` that calls were nested in. */
type Place = string;

const code: Place = "(code)";
const read = "(read) ";

export class Deliveries {
  /** By turn, then by place. */
  readonly #shown = new Map<string, Map<Place, readonly UnreadEnd[]>>();

  /** Notes that a call gives these ends to its caller. A person's command is no reader. */
  show(ends: readonly UnreadEnd[], { turn, callId, origin }: Pick<ToolContext, "turn" | "callId" | "origin">): void {
    if (ends.length === 0 || origin === "command") return;
    const places = this.#shown.get(turn.turnId) ?? new Map();
    this.#shown.set(turn.turnId, places.set(callId, ends));
  }

  /** Shown by a call of this turn, whether its result is on the tape by now or not. */
  isShown(taskId: TaskId, { turnId }: Pick<Turn, "turnId">): boolean {
    const places = this.#shown.get(turnId)?.values() ?? [];
    return [...places].some((ends) => ends.some(({ value }) => value.task_id === taskId));
  }

  /** The outcome of a call with what its tape entry says of tasks; undefined when it says nothing. */
  settle(outcome: Outcome, { id, name, origin, turn: { turnId } }: ToolCall): Outcome | undefined {
    const places = this.#shown.get(turnId);
    if (places === undefined) return undefined;
    const isCode = name === "run_code" && origin === "model";
    const ends = take(places, isCode ? code : id);
    // A call that the code made, and that comes to its end later than the code, has shown nothing.
    if (isCode) for (const place of [...places.keys()]) if (!place.startsWith(read)) places.delete(place);
    if (!outcome.ok || ends.length === 0) return undefined;
    if (origin === "code") {
      // The code has it; whether the model gets it is decided by the code's own end.
      places.set(code, [...(places.get(code) ?? []), ...ends]);
      return undefined;
    }
    places.set(read + id, ends);
    const meta = { tasks: ends.map(({ value }) => value.task_id), inbox: ends.map(({ item }) => item.id) };
    return { ...outcome, meta: { ...outcome.meta, ...meta } };
  }

  forget({ turnId }: Pick<Turn, "turnId">): void {
    this.#shown.delete(turnId);
  }
}

function take(places: Map<Place, readonly UnreadEnd[]>, place: Place): readonly UnreadEnd[] {
  const ends = places.get(place) ?? [];
  places.delete(place);
  return ends;
}
