// The builtin plugins, together and one by one.
export { agentPlugin } from "./agent/plugin.ts";
export { approvalsPlugin } from "./approvals/plugin.ts";
export { commandsPlugin } from "./commands/plugin.ts";
export { defaults } from "./defaults.ts";
export { discoveryPlugin } from "./discovery/plugin.ts";
export { environmentPlugin } from "./environment/plugin.ts";
export { filesPlugin } from "./files/plugin.ts";
export { modelsPlugin } from "./models/plugin.ts";
export { promptPlugin } from "./prompt/plugin.ts";
export { sessionPlugin } from "./session/plugin.ts";
export { sessionSettingsPlugin } from "./session-settings/plugin.ts";
export { shellPlugin } from "./shell/plugin.ts";
export { skillsPlugin } from "./skills/plugin.ts";
export { storagePlugin } from "./storage/plugin.ts";
export { subagentsPlugin } from "./subagents/plugin.ts";
export { tapeToolsPlugin } from "./tape-tools/plugin.ts";
export { webPlugin } from "./web/plugin.ts";
