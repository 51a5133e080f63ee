import { expect, test } from "vitest";

// Runs before every other test, see vitest.config.ts: a leg of CI on the wrong Node proves nothing.
test("the suite runs on the Node that this leg is for", () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const expected = process.env.EXPECTED_NODE_MAJOR;
  if (expected !== undefined) expect(process.version).toMatch(new RegExp(`^v${expected}\\.`));
  expect(major * 100 + minor, "package.json says node >=20.19").toBeGreaterThanOrEqual(2019);
});
