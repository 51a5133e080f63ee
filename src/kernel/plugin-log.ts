// A plugin's own logger: every line says which plugin wrote it.
import type { Logger } from "../base/log.ts";

/** @param nameOf asked at each line: a plugin that is a function has its name only once it is made */
export function pluginLog(log: Logger, nameOf: () => string): Logger {
  const own = () => log.child({ plugin: nameOf() });
  return {
    debug: (message, fields) => own().debug(message, fields),
    info: (message, fields) => own().info(message, fields),
    warn: (message, fields) => own().warn(message, fields),
    error: (message, fields) => own().error(message, fields),
    child: (fields) => own().child(fields),
  };
}
