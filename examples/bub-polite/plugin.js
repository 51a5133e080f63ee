import { definePlugin } from "bub";

export default definePlugin({
  name: "polite",
  systemPrompt: () => "Answer in one short paragraph.",
  renderOutbound: ({ text }, { inbound, sessionId }) => [
    { channel: inbound.channel, chatId: inbound.chatId, sessionId, kind: "answer", text: `${text} Thank you.` },
  ],
});
