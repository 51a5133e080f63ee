// The models' section of `bub doctor`: which are asked, with which keys, and whether their providers answer.
import { counted } from "../../base/amounts.ts";
import { messageOf, sentencesOf } from "../../base/errors.ts";
import { nearestNames } from "../../base/near.ts";
import { shownAddress } from "../../base/shown-address.ts";
import { toOneLine } from "../../base/terminal-text.ts";
import type { Diagnosis, DiagnosisRequest, Fact, Finding } from "../../kernel/diagnosis.ts";
import { findModel } from "../../kernel/find-model.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { findAccess, findPackageAccess, type ProviderAccess } from "../../model/endpoint.ts";
import { type ModelSettings, parseModelName } from "../../model/model-settings.ts";
import { reachProvider } from "../../model/reach.ts";
import type { Transport } from "../../model/transport.ts";

/** A provider that needs longer for its list is out of order (milliseconds). */
const patienceMs = 5_000;

interface Check extends DiagnosisRequest {
  readonly runtime: Runtime;
  readonly settings: ModelSettings;
  readonly transport: Transport;
}

/** The model and those that stand in for it. @param settings with the places that keys come from */
export async function diagnoseModels(check: Check): Promise<Diagnosis> {
  const { model, fallbackModels } = check.runtime.settings;
  const reports = await Promise.all([...new Set([model, ...fallbackModels])].map((name) => reportOf(name, check)));
  return {
    title: "Models",
    facts: [...reports.map(({ fact }) => fact), ...listFacts(model, reports[0]?.ids)],
    findings: reports.flatMap(({ finding }) => (finding === undefined ? [] : [finding])),
  };
}

interface Report {
  readonly fact: Fact;
  readonly finding?: Finding;
  /** What the provider lists. */
  readonly ids?: readonly string[];
}

/** So many names are read at a glance. */
const mostNames = 12;

/** The chosen provider's list, names like the chosen one first. */
function listFacts(model: string, ids: readonly string[] = []): readonly Fact[] {
  const { provider, modelId } = parseModelName(model) ?? { provider: "", modelId: "" };
  if (ids.length === 0) return [];
  const names = [...new Set([...nearestNames(modelId, ids, mostNames), ...ids])];
  const rest = names.length - mostNames;
  const value = names.slice(0, mostNames).join(", ") + (rest > 0 ? `, and ${rest} more, which ,model offers` : "");
  return [{ name: `models of ${provider}`, value }];
}

async function reportOf(name: string, check: Check): Promise<Report> {
  const problem = (sentence: string, value: string): Report => ({
    fact: { name, value },
    finding: { sentence: toOneLine(sentence), severity: "problem" },
  });
  try {
    await findModel(name, check.runtime);
  } catch (error) {
    return problem(sentencesOf(error), "not usable");
  }
  // A general address is nothing to a script.
  if (name.startsWith("scripted:")) return { fact: { name, value: "needs no key" } };
  const packaged = packagedValue(name, check);
  if (packaged !== undefined) return { fact: { name, value: packaged } };
  const access = accessOf(name, check);
  if (access === undefined) return { fact: { name, value: "brought by a plugin" } };
  const known = `${keyOf(access)}, at ${shownAddress(access.apiBase)}`;
  if (check.offline) return { fact: { name, value: `${known}, not asked` } };
  try {
    const ids = await reach(name, access, check);
    return { fact: { name, value: `${known}, ${answerOf(name, ids)}` }, ids };
  } catch (error) {
    check.signal.throwIfAborted();
    return problem(messageOf(error), `${known}, does not answer as it should`);
  }
}

/** A package speaks to its provider in its own way, and is not asked for a list. */
function packagedValue(name: string, { settings, runtime }: Check): string | undefined {
  const packaged = findPackageAccess(parseModelName(name)?.provider ?? "", settings, runtime.loadedSettings.lookup);
  if (packaged === undefined) return undefined;
  const { key, keySource, package: by } = packaged;
  return `${key === undefined ? `key as ${by} finds it` : keyOf({ key, keySource })}, by the package ${by}`;
}

function accessOf(name: string, { settings, runtime }: Check): ProviderAccess | undefined {
  try {
    return findAccess(parseModelName(name)?.provider ?? "", settings, runtime.loadedSettings.lookup);
  } catch {
    // A plugin's provider has its key where the plugin has it.
    return undefined;
  }
}

/** The end of a key tells it from others, and nobody can use it. */
function keyOf({ key, keySource }: Pick<ProviderAccess, "key" | "keySource">): string {
  if (key === undefined) return "used without a key";
  return `key ${key.length < 16 ? "***" : `…${key.slice(-4)}`} from ${keySource}`;
}

function answerOf(name: string, ids: readonly string[]): string {
  const { modelId } = parseModelName(name) ?? { modelId: "" };
  if (ids.length === 0) return "answers, without a list of models";
  const isListed = ids.some((id) => id === modelId || id.startsWith(modelId));
  return `answers with ${counted(ids.length, "model")}${isListed ? "" : ", this one not among them"}`;
}

/** The names on the provider's list; none where it gives no list. */
async function reach(
  name: string,
  access: ProviderAccess,
  { settings, transport, signal }: Check,
): Promise<readonly string[]> {
  const { provider } = parseModelName(name) ?? { provider: "" };
  const limit = AbortSignal.timeout(patienceMs);
  try {
    const options = { provider, settings, transport, signal: AbortSignal.any([signal, limit]) };
    return (await reachProvider(access, options)) ?? [];
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error;
    throw new Error(
      `${provider} at ${shownAddress(access.apiBase)} did not answer within ${patienceMs / 1000} s; --offline leaves this out.`,
    );
  }
}
