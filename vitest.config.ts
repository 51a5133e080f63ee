import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests that start real processes of `dist/cli.js`, or break things on purpose. */
const processTests = ["test/cli/**/*.test.ts", "test/faults/**/*.test.ts", "test/terminal/**/*.test.ts"];

/** Tests that do not depend on the version of Node: CI runs them on one only (BUB_TEST_PORTABLE=1 leaves them out). */
const onceTests = ["test/faults/**", "test/terminal/**", "**/*.tmux.test.ts", "**/*.property.test.ts"];

const leftOut = [
  ...configDefaults.exclude,
  "test/fixtures/**",
  ...(process.env.BUB_TEST_PORTABLE === "1" ? onceTests : []),
];
const long = process.env.BUB_TEST_LONG === "1";

export default defineConfig({
  resolve: {
    alias: [
      { find: /^fast-check$/, replacement: here("./test/support/seeded-fast-check.mjs") },
      { find: /^bub$/, replacement: here("./src/index.ts") },
      { find: /^bub\/plugins$/, replacement: here("./src/plugins/index.ts") },
      { find: /^bub\/testing$/, replacement: here("./src/testing/index.ts") },
    ],
  },
  test: {
    passWithNoTests: true,
    pool: "forks",
    isolate: true,
    maxWorkers: 2,
    setupFiles: ["test/setup/clean-environment.ts"],
    restoreMocks: true,
    unstubEnvs: true,
    sequence: { shuffle: true },
    // What is waited for comes late on a loaded machine; the default is a second.
    expect: { poll: { timeout: 20_000 } },
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.test.ts"],
      reporter: ["text-summary", "html"],
    },
    projects: [
      {
        extends: true,
        test: {
          name: "node",
          include: ["test/node-version.test.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...leftOut, ...processTests, "test/node-version.test.ts"],
          // A loaded machine takes ten times as long as an idle one.
          testTimeout: long ? 600_000 : 30_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          include: processTests,
          exclude: leftOut,
          globalSetup: ["test/setup/build.ts"],
          testTimeout: long ? 1_800_000 : 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
