// The models that settings, keys and scripts give access to.
import { importInstalled } from "../../base/installed-packages.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { Model } from "../../model/model.ts";
import type { ModelSettings } from "../../model/model-settings.ts";
import { resolveModel } from "../../model/resolve.ts";
import { createTransport, type Transport } from "../../model/transport.ts";

export const modelsPlugin = definePlugin(({ settings, lookup, mask, workspace }) => {
  // Kept for the runtime's life: a model remembers what it serialised, a script how often it was asked.
  const models = new Map<string, Promise<Model>>();
  let transport: Transport | undefined;
  const make = (name: string, runtime: Runtime): Promise<Model> => {
    transport ??= createTransport();
    const folder = workspace ?? process.cwd();
    const onSecret = (secret: string) => mask.add(secret);
    const importPackage = (packageName: string) => importInstalled(settings.home, packageName);
    return resolveModel(name, { settings: withPlaces(runtime), lookup, transport, folder, importPackage, onSecret });
  };
  return {
    name: "models",
    provideModels: () => [
      {
        provider: "*",
        create(modelId, runtime, provider) {
          const name = `${provider}:${modelId}`;
          const known = models.get(name);
          if (known !== undefined) return known;
          const made = make(name, runtime);
          models.set(name, made);
          made.catch(() => models.delete(name));
          return made;
        },
        async list(_runtime, signal) {
          transport ??= createTransport();
          const { listModelNames } = await import("../../model/model-names.ts");
          const onSecret = (secret: string) => mask.add(secret);
          return listModelNames({ settings, lookup, transport, signal, onSecret });
        },
      },
    ],
    async diagnose(runtime, request) {
      transport ??= createTransport();
      const { diagnoseModels } = await import("./diagnosis.ts");
      return diagnoseModels({ ...request, runtime, settings: withPlaces(runtime), transport });
    },
    async onboard(onboarding, runtime) {
      transport ??= createTransport();
      const { onboardModel } = await import("./onboarding.ts");
      await onboardModel(onboarding, runtime, transport);
    },
    lifespan: () => ({
      async [Symbol.asyncDispose]() {
        transport?.close();
      },
    }),
  };
});

/** Sentences name the place where somebody wrote a key. */
function withPlaces({ settings, loadedSettings }: Runtime): ModelSettings {
  const { sources } = loadedSettings;
  const placeOf = (name: "apiKey" | "providers" | "clientArgs") =>
    sources[name] === "config.yml" ? "config.yml" : undefined;
  const places = { apiKey: placeOf("apiKey"), providers: placeOf("providers"), clientArgs: placeOf("clientArgs") };
  return { ...settings, places };
}
