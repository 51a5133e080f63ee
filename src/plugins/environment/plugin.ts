// The default place for tools: this machine.
import { childEnvironment } from "../../environment/child-environment.ts";
import { sweepDeadOwners } from "../../environment/dead-owners.ts";
import { createLocalEnvironment } from "../../environment/local.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { PluginHost } from "../../kernel/plugin-host.ts";
import { variablesWithSecrets } from "../../kernel/setting-secrets.ts";
import { providerKeyVariables } from "../../model/key-variables.ts";
import { KeyVariables } from "./key-variables.ts";

export const environmentPlugin = definePlugin((host: PluginHost) => {
  const { settings, env, events, log } = host;
  const keys = new KeyVariables(host);
  events.on("model-call-started", ({ model }) => keys.add(model));
  const holding = variablesWithSecrets(settings);
  const environment = () =>
    childEnvironment({ env, keyVariables: [...keys.names(), ...holding], allow: settings.shellEnvAllow });
  return {
    name: "environment",
    provideEnvironment: ({ workspace }) =>
      createLocalEnvironment({
        workspace,
        home: settings.home,
        python: settings.python,
        environment,
        hiddenFromCode: providerKeyVariables,
        log,
      }),
    async diagnose(_runtime, { signal }) {
      const { diagnosePrograms } = await import("./diagnosis.ts");
      return diagnosePrograms({ python: settings.python, environment: environment(), signal });
    },
    // Nobody waits for it: what is left of a dead owner has waited long enough already.
    lifespan() {
      sweepDeadOwners(settings.home).catch((error) => log.warn("shells of a dead owner could not be ended", { error }));
      return undefined;
    },
  };
});
