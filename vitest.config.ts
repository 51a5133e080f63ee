import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests that start real processes of `dist/cli.js`, or break things on purpose. */
const processTests = ["test/cli/**/*.test.ts", "test/faults/**/*.test.ts"];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^bub$/, replacement: here("./src/index.ts") },
      { find: /^bub\/plugins$/, replacement: here("./src/plugins/index.ts") },
      { find: /^bub\/testing$/, replacement: here("./src/testing/index.ts") },
    ],
  },
  test: {
    passWithNoTests: true,
    sequence: { shuffle: true },
    maxWorkers: 2,
    pool: "forks",
    restoreMocks: true,
    unstubEnvs: true,
    coverage: { provider: "v8", include: ["src/**/*.ts"], exclude: ["src/**/*.test.ts"] },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...processTests, "**/node_modules/**", "test/fixtures/**"],
          testTimeout: 10_000,
          hookTimeout: 10_000,
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          include: processTests,
          globalSetup: ["test/setup/build.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
