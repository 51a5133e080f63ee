// Tapes, leases, inboxes and media as files below the home directory.
import { definePlugin } from "../../kernel/plugin.ts";
import { createFileStorage } from "../../tape/file-store.ts";

export const storagePlugin = definePlugin(({ settings, clock, log }) => ({
  name: "storage",
  provideTapeStore: () => createFileStorage({ home: settings.home, fsync: settings.tapeFsync, clock, log }),
  async diagnose(runtime, { signal }) {
    const { diagnoseStorage } = await import("./diagnosis.ts");
    return diagnoseStorage(runtime, signal);
  },
}));
