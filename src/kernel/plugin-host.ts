// What a plugin gets when a runtime makes it: the world outside, nothing of any conversation.
import type { Clock } from "../base/clock.ts";
import type { Emitter } from "../base/emitter.ts";
import type { BusEvents } from "../base/events.ts";
import type { Logger, SecretMask } from "../base/log.ts";
import type { LoadedSettings } from "./settings.ts";

export interface PluginHost<Own = object> {
  /** The plugin's own settings, checked and with defaults; an empty object for a plugin that declares none. */
  readonly own: Own;
  readonly settings: LoadedSettings["values"];
  /** A variable of the environment, else of the workspace's `.env`. */
  readonly lookup: LoadedSettings["lookup"];
  /** Sections of config.yml. */
  readonly config: LoadedSettings["config"];
  /** Absolute real path; undefined without one. */
  readonly workspace: string | undefined;
  /** The process's environment, as the user gave it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly events: Emitter<BusEvents>;
  /** Its lines carry the plugin's name. */
  readonly log: Logger;
  readonly clock: Clock;
  readonly mask: SecretMask;
}
