// The builtin plugins in order of registration: the only place that knows them all.
import type { PluginSource } from "../kernel/plugin.ts";
import { agentPlugin } from "./agent/plugin.ts";
import { approvalsPlugin } from "./approvals/plugin.ts";
import { codeModePlugin } from "./code-mode/plugin.ts";
import { commandsPlugin } from "./commands/plugin.ts";
import { discoveryPlugin } from "./discovery/plugin.ts";
import { environmentPlugin } from "./environment/plugin.ts";
import { filesPlugin } from "./files/plugin.ts";
import { modelsPlugin } from "./models/plugin.ts";
import { promptPlugin } from "./prompt/plugin.ts";
import { sessionPlugin } from "./session/plugin.ts";
import { sessionSettingsPlugin } from "./session-settings/plugin.ts";
import { shellPlugin } from "./shell/plugin.ts";
import { skillsPlugin } from "./skills/plugin.ts";
import { spillPlugin } from "./spill/plugin.ts";
import { storagePlugin } from "./storage/plugin.ts";
import { subagentsPlugin } from "./subagents/plugin.ts";
import { tapeToolsPlugin } from "./tape-tools/plugin.ts";
import { webPlugin } from "./web/plugin.ts";

export const defaults: readonly PluginSource[] = [
  storagePlugin,
  environmentPlugin,
  sessionPlugin,
  promptPlugin,
  codeModePlugin,
  discoveryPlugin,
  skillsPlugin,
  modelsPlugin,
  agentPlugin,
  approvalsPlugin,
  commandsPlugin,
  sessionSettingsPlugin,
  shellPlugin,
  filesPlugin,
  webPlugin,
  tapeToolsPlugin,
  spillPlugin,
  subagentsPlugin,
];
