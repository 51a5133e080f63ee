// Notes beside a conversation: they stand in a sidecar, so that they fork, archive and reset with it, and never enter it.
import { definePlugin, defineTool } from "bub";

const sidecar = "notes";

const addNote = defineTool({
  name: "note.add",
  description: "Write a note down.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  async run({ text }, { turn }) {
    const notes = await turn.sidecar(sidecar);
    await notes.append([{ kind: "event", payload: { name: "note", data: { text } } }]);
    return "noted";
  },
});

const listNotes = defineTool({
  name: "note.list",
  description: "List the notes.",
  async run(_args, { turn }) {
    const notes = await turn.sidecar(sidecar);
    const texts = [];
    for await (const { payload } of notes.query({ kinds: ["event"] })) {
      if (payload.name === "note") texts.push(payload.data.text);
    }
    return texts;
  },
  render: (texts) => texts.map((text) => `- ${text}`).join("\n") || "(no notes)",
});

export default definePlugin({
  name: "notes",
  provideTapeSidecar: () => ({ name: sidecar }),
  provideTools: () => [addNote, listNotes],
});
