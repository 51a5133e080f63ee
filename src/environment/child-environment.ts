// Which variables a shell's processes see.

export interface ChildEnvironmentRequest {
  /** The process's environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** Names that only `.env` or config.yml set: they configure Bub, not what it runs. */
  onlyConfigured?: Iterable<string>;
  /** Names of the variables that this run's keys came from. */
  keyVariables?: Iterable<string>;
  /** Names that are given all the same (`BUB_SHELL_ENV_ALLOW`). */
  allow?: Iterable<string>;
  /** Becomes `BUB_OWNER`: the process that may hold the session's lease. */
  owner?: number;
}

/**
 * The user's environment without `BUB_*KEY*`, `BUB_*TOKEN*`, this run's key and what only configuration set.
 * Each shell adds its own `BUB_SHELL_ID`.
 */
export function childEnvironment({
  env,
  onlyConfigured = [],
  keyVariables = [],
  allow = [],
  owner = process.pid,
}: ChildEnvironmentRequest): Record<string, string> {
  const allowed = new Set(allow);
  const hidden = new Set([...onlyConfigured, ...keyVariables]);
  const isGiven = (name: string) => allowed.has(name) || !(hidden.has(name) || isSecretSetting(name));
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && isGiven(name)) child[name] = value;
  child.BUB_OWNER = String(owner);
  return child;
}

function isSecretSetting(name: string): boolean {
  return /^BUB_.*(KEY|TOKEN)/s.test(name);
}
