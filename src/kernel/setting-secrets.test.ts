import { expect, test } from "vitest";
import { secretsOf } from "./setting-secrets.ts";

test("R1.5 secrets are found by name in variables and headers, and in the address of an API", () => {
  const env = { MY_API_KEY: "one", GITHUB_TOKEN: "two", MONKEYS: "no", PATH: "no", DB_PASSWORD: "" };
  const clientArgs = {
    headers: { Authorization: "Bearer three", "x-title": "no" },
    default_headers: { "X-Api-Key": "four" },
  };
  const secrets = secretsOf(env, { apiKey: "five", apiBase: "http://me:six@x/v1", clientArgs });
  expect(new Set(secrets)).toEqual(new Set(["one", "two", "Bearer three", "three", "four", "five", "six"]));
  expect(secretsOf({}, { apiKey: undefined, apiBase: "no address", clientArgs: { headers: "odd" } })).toEqual([]);
});
