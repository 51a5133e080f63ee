// Tests never see the settings, keys or tapes of the person who runs them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

for (const name of Object.keys(process.env)) {
  const isOurs = name.startsWith("BUB_") && !name.startsWith("BUB_TEST_");
  if (isOurs || /_API_(KEY|BASE)$/.test(name)) delete process.env[name];
}
const home = mkdtempSync(join(tmpdir(), "bub-test-home-"));
process.env.BUB_HOME = home;

afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
