// A company's reader in place of `web.fetch`, a search beside it, and settings for both.
//
//   bub --plugin examples/replacing-plugin/replacing-plugin.js run "what does https://example.com say?"
import { BubError, definePlugin, defineTool } from "bub";

const settings = {
  type: "object",
  properties: {
    site: { type: "string", description: "address of the reader" },
    token: { type: "string", writeOnly: true, description: "what the reader knows you by" },
    limit: { type: "integer", minimum: 1, default: 5, description: "most results of a search" },
  },
  required: ["site", "token"],
};

export default definePlugin({
  name: "reader",
  settings,
  create({ own, log }) {
    const { site, token, limit } = own;

    async function ask(path, signal) {
      log.debug("asking the reader", { path });
      const response = await fetch(new URL(path, site), { signal, headers: { Authorization: `Bearer ${token}` } });
      if (!response.ok) throw new BubError("tool", `the reader answered ${response.status} for ${path}`);
      return response.text();
    }

    // The name of a builtin tool: a later plugin's takes its place, for models, code and commands alike.
    const fetchPage = defineTool({
      name: "web.fetch",
      description: "Get a page as Markdown, through the company's reader.",
      input: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
      run: ({ url }, { signal }) => ask(`/read?url=${encodeURIComponent(url)}`, signal),
    });

    const search = defineTool({
      name: "reader.search",
      description: "Search the pages that the reader knows.",
      deferred: true,
      input: {
        type: "object",
        properties: { words: { type: "string", description: "what to look for" } },
        required: ["words"],
      },
      async run({ words }, { signal }) {
        const found = await ask(`/search?words=${encodeURIComponent(words)}`, signal);
        return found.split("\n").slice(0, limit).join("\n");
      },
    });

    return { provideTools: () => [fetchPage, search] };
  },
});
