import { expect, test } from "vitest";
import { childEnvironment } from "./child-environment.ts";

const env = {
  PATH: "/bin",
  BUB_API_KEY: "k1",
  BUB_OPENAI_API_KEY: "k2",
  BUB_TELEGRAM_TOKEN: "t",
  BUB_MODEL: "openai:gpt",
  OPENAI_API_KEY: "k3",
  GITHUB_TOKEN: "own",
  MARK: "1",
  GONE: undefined,
};

test("T1.4 children see the user's environment without Bub's keys and tokens", () => {
  expect(childEnvironment({ env, owner: 7 })).toEqual({
    PATH: "/bin",
    BUB_MODEL: "openai:gpt",
    OPENAI_API_KEY: "k3",
    GITHUB_TOKEN: "own",
    MARK: "1",
    BUB_OWNER: "7",
  });
});

test("T1.4 the variable of this run's key and what only configuration set are left out", () => {
  const child = childEnvironment({ env, keyVariables: ["OPENAI_API_KEY"], onlyConfigured: ["MARK"] });
  expect(child).not.toHaveProperty("OPENAI_API_KEY");
  expect(child).not.toHaveProperty("MARK");
});

test("T1.4 allowed names come back", () => {
  const child = childEnvironment({ env, keyVariables: ["OPENAI_API_KEY"], allow: ["BUB_API_KEY", "OPENAI_API_KEY"] });
  expect(child).toMatchObject({ BUB_API_KEY: "k1", OPENAI_API_KEY: "k3" });
  expect(child).not.toHaveProperty("BUB_TELEGRAM_TOKEN");
});

test("R1.6 children know the process that holds the lease", () => {
  expect(childEnvironment({ env }).BUB_OWNER).toBe(String(process.pid));
  expect(childEnvironment({ env: { BUB_OWNER: "1" }, owner: 9 }).BUB_OWNER).toBe("9");
});
