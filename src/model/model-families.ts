// What models of a family insist on, wherever they are served.

/** Mistral's: their templates refuse words of the user right behind results, so an answer has to stand between them. */
export function wantsAnswerAfterResults(modelId: string): boolean {
  return /mi[sx]tral|ministral|devstral|magistral|codestral|pixtral/i.test(modelId);
}

/** What such an answer says, and the user's side before a conversation that begins with an answer. */
export const bridgeWords = "(the conversation goes on)";
