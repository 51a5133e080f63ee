// Fits a request to the model in use: how long its answer may be, and notes for media that it does not take.
import { untilAborted } from "../../base/abort.ts";
import { describeMedia, type MediaPart } from "../../base/content.ts";
import { imageLimitsOf, overImageLimit } from "../../model/media-limits.ts";
import { withMediaNotes } from "../../model/media-notes.ts";
import type { ModelLimits, ModelMessage } from "../../model/model.ts";
import { limitsOf } from "../../model/model-limits.ts";
import { hasMedia, mediaIn } from "./rejected-media.ts";
import type { Run } from "./run.ts";
import { scaleImage } from "./scaled-images.ts";
import { messageTokens } from "./tokens.ts";

/** No model's window is smaller than this, so for less its list is not asked (tokens). */
const smallConversation = 4_000;

/** What is known of the model in use. Asks its provider's list only when the answer matters. */
export async function knownLimits(run: Run, messages: readonly ModelMessage[]): Promise<ModelLimits> {
  const { contextWindow } = run.turn.runtime.settings;
  const own = contextWindow === undefined ? {} : { contextWindow };
  const { current: model } = run.models;
  if (model.limits === undefined) return own;
  const matters = contextWindow === undefined && messageTokens(messages) > smallConversation;
  return matters || hasMedia(messages) ? { ...(await limitsOf(model)), ...own } : own;
}

/** Most tokens of the answer: as set, but at most a quarter of a known window. */
export function answerTokens(maxTokens: number, { contextWindow }: ModelLimits): number {
  return contextWindow === undefined ? maxTokens : Math.max(1, Math.min(maxTokens, Math.floor(contextWindow / 4)));
}

/** The messages as the model takes them; the same objects, and the same list, where nothing stands in its way. */
export async function messagesFor(
  run: Run,
  messages: readonly ModelMessage[],
  { media }: ModelLimits,
): Promise<readonly ModelMessage[]> {
  if (!hasMedia(messages)) return messages;
  const { models, context, turn } = run;
  const { current } = models;
  const images = imageLimitsOf(current);
  const { rejected } = context;
  const instead = new Map<MediaPart, string | MediaPart>();
  const leaveOut = (part: MediaPart, reason: string) =>
    instead.set(part, `${describeMedia(part)} (left out: ${reason})`);
  for (const part of mediaIn(messages)) {
    const over = part.type === "image" && images !== undefined ? overImageLimit(part, images) : undefined;
    if (media !== undefined && !media.includes(part.type)) leaveOut(part, `the model takes no ${part.type}`);
    else if (rejected.has(models.id, part)) leaveOut(part, "the model refused it");
    else if (over !== undefined && images !== undefined) {
      const scaled = await untilAborted(scaleImage(part, images, turn.runtime), turn.signal);
      if (typeof scaled !== "string") {
        if (rejected.has(models.id, scaled)) leaveOut(part, "the model refused it");
        else instead.set(part, scaled);
      } else leaveOut(part, `too large for ${current.provider}: ${over}${scaled}`);
    }
  }
  return messages.map((message) => withMediaNotes(message, (part) => instead.get(part)));
}
