import * as v from "valibot";
import { expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { SecretMask, silentLogger } from "../base/log.ts";
import { definePlugin, type PluginSource } from "./plugin.ts";
import type { PluginHost } from "./plugin-host.ts";
import { loadPlugins } from "./plugin-loader.ts";

const load = async (source: PluginSource, settings: unknown, mask = new SecretMask()) => {
  const config = { plugin_settings: settings } as JsonObject;
  return loadPlugins([source], { config, mask, log: silentLogger } as unknown as PluginHost);
};

/** A plugin that hands out what it was given. */
function reader() {
  const got: { own?: unknown } = {};
  const plugin = definePlugin({
    name: "reader",
    settings: v.object({
      site: v.string(),
      timeout: v.optional(v.number(), 10),
      token: v.optional(v.pipe(v.string(), v.startsWith("very-"), v.metadata({ writeOnly: true }))),
    }),
    create({ own }) {
      const seconds: number = own.timeout;
      got.own = { ...own, timeout: seconds };
      return { systemPrompt: () => own.site };
    },
  });
  return { plugin, got };
}

test("R5.5 a plugin's settings are read from its section of config.yml, coerced, with defaults, and typed", async () => {
  const { plugin, got } = reader();
  const { plugins, problems } = await load(plugin, { reader: { site: "a.example", timeout: "5" } });
  expect(problems).toEqual([]);
  expect(got.own).toEqual({ site: "a.example", timeout: 5 });
  expect(plugins).toMatchObject([{ name: "reader" }]);
  expect(plugins[0]?.systemPrompt?.({} as never)).toBe("a.example");
  await load(plugin, { reader: { site: "b.example" } });
  expect(got.own).toEqual({ site: "b.example", timeout: 10 });
});

test("R5.5 plain JSON Schema does as well, its defaults filled in, also inside", async () => {
  let own: JsonObject = {};
  const plugin = definePlugin({
    name: "plain",
    settings: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, default: 3 },
        proxy: { type: "object", properties: { port: { type: "integer", default: 80 } }, default: {} },
      },
    },
    create(host) {
      own = host.own;
      return {};
    },
  });
  expect((await load(plugin, undefined)).problems).toEqual([]);
  expect(own).toEqual({ limit: 3, proxy: { port: 80 } });
  expect((await load(plugin, { plain: { limit: 0 } })).problems).toEqual([
    "The plugin plain is skipped: plugin_settings.plain.limit in config.yml does not fit: 0 is less than 1.",
  ]);
});

test.each([
  [{}, "plugin_settings.reader.site in config.yml is required."],
  [
    { site: "a", timeout: "soon" },
    'plugin_settings.reader.timeout in config.yml does not fit: Expected number but received "soon".',
  ],
  [
    { site: "a", timeuot: 5 },
    "plugin_settings.reader.timeuot in config.yml is no setting of the plugin; did you mean timeout?",
  ],
  ["fast", "plugin_settings.reader in config.yml must hold keys and values."],
])(
  "R5.5 settings %j skip the plugin with one sentence that names the key, before it is made",
  async (given, sentence) => {
    const { plugin, got } = reader();
    const { plugins, problems } = await load(plugin, { reader: given });
    expect(plugins).toEqual([]);
    expect(got.own).toBeUndefined();
    expect(problems).toEqual([`The plugin reader is skipped: ${sentence}`]);
  },
);

test("R5.5 secrets are masked where settings are shown and in logs, and never quoted in a complaint", async () => {
  const { plugin } = reader();
  const mask = new SecretMask();
  const { settings } = await load(plugin, { reader: { site: "a.example", token: "very-secret" } }, mask);
  expect(settings).toEqual([
    { name: "plugin_settings.reader.site", value: "a.example", source: "config.yml" },
    { name: "plugin_settings.reader.timeout", value: 10, source: "default" },
    { name: "plugin_settings.reader.token", value: "***", source: "config.yml" },
  ]);
  expect(mask.mask("sent very-secret")).toBe("sent ***");
  const { problems } = await load(plugin, { reader: { site: "a.example", token: "short" } });
  expect(problems).toEqual([expect.stringContaining("plugin_settings.reader.token in config.yml does not fit")]);
  expect(problems.join()).not.toContain("short");
});

test("R5.5 secrets inside lists, objects and behind references are masked, also by the format password", async () => {
  const plugin = definePlugin({
    name: "nested",
    settings: {
      type: "object",
      properties: {
        accounts: {
          type: "array",
          items: { type: "object", properties: { user: { type: "string" }, key: { $ref: "#/$defs/key" } } },
        },
      },
      $defs: { key: { type: "string", format: "password" } },
    },
    create: () => ({}),
  });
  const mask = new SecretMask();
  const { settings, problems } = await load(plugin, { nested: { accounts: [{ user: "me", key: "sk-123456" }] } }, mask);
  expect(problems).toEqual([]);
  expect(settings).toMatchObject([{ value: [{ user: "me", key: "***" }] }]);
  expect(mask.mask("sk-123456")).toBe("***");
});

test("R5.4 a section whose plugin is not there is warned about when another name is near", async () => {
  const { plugin } = reader();
  const { warnings } = await load(plugin, { redaer: { site: "a" }, reader: { site: "a" }, somethingElse: {} });
  expect(warnings).toEqual([
    "plugin_settings.redaer in config.yml belongs to no plugin that is loaded; did you mean reader?",
  ]);
});

test("R5.4 sections of plugins that are none are told, whichever plugins there are", async () => {
  const { warnings } = await load(definePlugin({ name: "plain" }), 5 as never);
  expect(warnings).toEqual(["plugin_settings in config.yml must hold a section for each plugin."]);
});

test("R5.5 the version of the contract is looked at before settings", async () => {
  const plugin = definePlugin({ name: "old", apiVersion: 0, settings: { required: ["x"] }, create: () => ({}) });
  expect((await load(plugin, {})).problems).toEqual([
    "The plugin old is skipped: it is made for version 0 of the plugin contract, this is version 1.",
  ]);
});
