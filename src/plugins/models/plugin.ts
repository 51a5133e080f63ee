// The models that settings, keys and scripts give access to.
import { definePlugin } from "../../kernel/plugin.ts";
import { resolveModel } from "../../model/resolve.ts";
import { createTransport, type Transport } from "../../model/transport.ts";

export const modelsPlugin = definePlugin(({ settings, lookup, mask, workspace, keyVariables }) => {
  let transport: Transport | undefined;
  return {
    name: "models",
    provideModels: () => [
      {
        provider: "*",
        create(modelId, _runtime, provider) {
          transport ??= createTransport();
          const folder = workspace ?? process.cwd();
          const onSecret = (secret: string) => mask.add(secret);
          const onKeySource = (variable: string) => void keyVariables.add(variable);
          return resolveModel(`${provider}:${modelId}`, { settings, lookup, transport, folder, onSecret, onKeySource });
        },
      },
    ],
  };
});
