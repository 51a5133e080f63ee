import { expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { secretsOf, variablesWithSecrets } from "./setting-secrets.ts";

test("R1.5 secrets are found by name in variables and headers, and in the address of an API", () => {
  const env = { MY_API_KEY: "one", GITHUB_TOKEN: "two", MONKEYS: "no", PATH: "no", DB_PASSWORD: "" };
  const clientArgs = {
    headers: { Authorization: "Bearer three", "x-title": "no" },
    default_headers: { "X-Api-Key": "four" },
  };
  const secrets = secretsOf(env, { apiKey: "five", apiBase: "http://me:six@x/v1", clientArgs, providers: {} });
  expect(new Set(secrets)).toEqual(new Set(["one", "two", "Bearer three", "three", "four", "five", "six"]));
  expect(
    secretsOf({}, { apiKey: undefined, apiBase: "no address", clientArgs: { headers: "odd" }, providers: { odd: 1 } }),
  ).toEqual([]);
});

test.each<JsonObject>([
  { lab: { api_base: "http://x", api_key: "secret" } },
  { lab: { api_base: "http://me:secret@x" } },
  { lab: { package: "p", options: { apiKey: "secret", region: "no" } } },
  { lab: { package: "p", options: { headers: { Authorization: "secret" } } } },
])("R1.5 T1.4 secrets are found in an entry of a provider: %o", (providers) => {
  expect(new Set(secretsOf({}, { apiKey: undefined, apiBase: undefined, clientArgs: {}, providers }))).toEqual(
    new Set(["secret"]),
  );
  expect(variablesWithSecrets({ clientArgs: {}, providers })).toEqual(["BUB_PROVIDERS"]);
});
