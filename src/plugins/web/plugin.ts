// One page of the web, fetched as it is.
import { definePlugin } from "../../kernel/plugin.ts";
import { webFetch } from "./fetch.ts";

export const webPlugin = definePlugin({
  name: "web",
  provideTools: () => [webFetch],
});
