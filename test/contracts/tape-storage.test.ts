import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStorage } from "../../src/tape/file-store.ts";
import { createMemoryStorage } from "../../src/tape/memory-store.ts";
import { describeTapeStorage } from "./tape-storage.ts";

describeTapeStorage({
  name: "files",
  async create() {
    const home = mkdtempSync(join(tmpdir(), "bub-storage-"));
    return {
      storage: createFileStorage({ home }),
      dispose: async () => rmSync(home, { recursive: true, force: true }),
    };
  },
});

describeTapeStorage({
  name: "memory",
  async create() {
    return { storage: createMemoryStorage(), dispose: async () => {} };
  },
});
