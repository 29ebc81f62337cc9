/** What definitions would change. Planning asks the server and changes nothing. */

import type { Ask } from '../../../cli/client/client.ts';
import type { Definition, FileKind, Section, ManagedItem } from './kind.ts';
import { fileKinds } from './kinds.ts';
import { everyOne } from '../../../domain/alerts/managed-channel.ts';
import { nearest } from '../../../domain/nearest.ts';
import { adoptedIds, keysOfAdopted, withAdoptedIds } from './adopted.ts';
import type { AdoptedIds } from './adopted.ts';
import { afterOf, chainRefusals, deletionRefusals } from './chains.ts';
import { findMeant } from './named-after.ts';
import {
  askMe,
  inputOf,
  keysById,
  managedItems,
  refused,
  sendDefinitions,
  withKeys,
} from './server.ts';
import type { DefinitionResult, ManagedItems } from './server.ts';

/** A definition, and what it would change. */
export interface PlannedChange {
  definition: Definition;
  /** With the job, monitor or channel as it is. */
  result: DefinitionResult;
}

/** A managed job, monitor or channel without a definition. */
export interface Unlisted {
  kind: FileKind;
  key: string;
  item: ManagedItem;
  /** Why it cannot be deleted; null if it can, or need not. */
  refusal: string | null;
}

export interface Plan {
  /** One per definition, ordered by section and key. */
  changes: PlannedChange[];
  /** Pruning would delete them. Ordered by section and key. */
  unlisted: Unlisted[];
  /** Whether the key may write. If so, the server has compared the values that nobody is shown. */
  mayWrite: boolean;
  /** The account's default, where a job has no timeout. */
  defaultTimeoutSeconds: number;
  /** Names that files have instead of ids of jobs, by id. */
  names: ReadonlyMap<string, string>;
}

/** How many of each there are. */
export interface PlanCounts {
  create: number;
  update: number;
  delete: number;
  /** Those made by hand that only get a key. */
  adopt: number;
  none: number;
  refused: number;
  unlisted: number;
}

/**
 * Makes a plan. With a read-only key the values that nobody is shown are not compared. With `prune`, a channel may only name
 * what the files define. Throws as the client does.
 */
export async function makePlan(
  ask: Ask,
  written: readonly Definition[],
  { prune = false }: { prune?: boolean },
): Promise<Plan> {
  const { mayWrite, defaultTimeoutSeconds } = await askMe(ask);
  const managed = await managedItems(ask, 'managed');
  const listed = listedKeys(written);
  const unlisted = fileKinds.flatMap((kind) =>
    managed[kind.section]
      .flatMap((item) => (item.key === null ? [] : [{ kind, key: item.key, item }]))
      .filter(({ key }) => !listed[kind.section].has(key))
      .toSorted(byKey),
  );
  const known = prune ? listed : listedKeys([...written, ...unlisted]);
  let asked: Promise<ManagedItems> | undefined;
  const listJobs = async () => (await (asked ??= managedItems(ask, 'all'))).jobs;
  const { definitions, problems, names } = await findMeant(written, known.jobs, listJobs);
  const sorted = fileKinds.flatMap((kind) =>
    definitions.filter((definition) => definition.kind === kind).toSorted(byKey),
  );
  const adopted = adoptedIds(sorted, managed);
  const compared = sorted.map((definition) => withAdoptedIds(definition, adopted));
  const results = mayWrite
    ? await compareThere(ask, compared)
    : await compareHere(ask, compared, { managed, defaultTimeoutSeconds });
  const keys = new Map([...keysById(managed), ...keysOfAdopted(adopted)]);
  const others = await othersThatStay({
    definitions,
    unlisted: prune ? unlisted : [],
    adopted,
    keys,
    listJobs,
  });
  const ofChain = chainRefusals({ definitions, others });
  const refusalOf = (definition: Definition): DefinitionResult | undefined =>
    refusalOfKeys(definition, known, problems);
  const changes = sorted.flatMap((definition, index) => {
    const result = results[index];
    if (result === undefined) return [];
    const item = result.item && withKeys(definition.kind.section, result.item, keys);
    const refusal = refusalOf(definition) ?? ofChain(definition);
    return [{ definition, result: refusal ?? { ...result, item } }];
  });
  const ofDeletion = deletionRefusals({ others });
  const withRefusals = unlisted.map(({ kind, key, item }) => {
    const isDeletedJob = prune && kind.section === 'jobs';
    return { kind, key, item, refusal: isDeletedJob ? ofDeletion(key) : null };
  });
  return { changes, unlisted: withRefusals, mayWrite, defaultTimeoutSeconds, names };
}

/** The jobs that no file defines and that stay. They are listed only if there are chains, or jobs to delete. */
async function othersThatStay({
  definitions,
  unlisted,
  adopted,
  keys,
  listJobs,
}: {
  definitions: readonly Definition[];
  unlisted: readonly { kind: FileKind; item: ManagedItem }[];
  adopted: AdoptedIds;
  keys: ReadonlyMap<string, string>;
  listJobs: () => Promise<readonly ManagedItem[]>;
}): Promise<ManagedItem[]> {
  const isDeleted = unlisted.some(({ kind }) => kind.section === 'jobs');
  if (!isDeleted && definitions.every((definition) => afterOf(definition) === undefined)) return [];
  const defined = new Set(
    definitions.filter(({ kind }) => kind.section === 'jobs').map(({ key }) => key),
  );
  const gone = new Set([...unlisted.map(({ item }) => item.id), ...adopted.jobs.values()]);
  const jobs = await listJobs();
  return jobs
    .filter(({ id, key }) => !gone.has(id) && !(key !== null && defined.has(key)))
    .map((job) => withKeys('jobs', job, keys));
}

/** Counts the changes of a plan. Those that are not in the files count as deleted only with `prune`. */
export function countsOf({ changes, unlisted }: Plan, prune: boolean): PlanCounts {
  const count = (is: (result: DefinitionResult) => boolean): number =>
    changes.filter(({ result }) => is(result)).length;
  const kept = unlisted.filter(({ refusal }) => refusal !== null).length;
  return {
    create: count(({ change }) => change === 'create'),
    update: count(({ change }) => change === 'update'),
    delete: prune ? unlisted.length - kept : 0,
    adopt: count(({ change, isAdopted }) => change === 'none' && isAdopted),
    none: count(({ change, isAdopted }) => change === 'none' && !isAdopted),
    refused: count(({ refusal }) => refusal !== null) + kept,
    unlisted: unlisted.length,
  };
}

type Keys = Readonly<Record<Section, ReadonlySet<string>>>;

function listedKeys(all: readonly { kind: FileKind; key: string }[]): Keys {
  const keysOf = (section: Section): Set<string> =>
    new Set(all.filter(({ kind }) => kind.section === section).map(({ key }) => key));
  return { jobs: keysOf('jobs'), monitors: keysOf('monitors'), channels: keysOf('channels') };
}

/**
 * The refusal of a channel that names an unknown key, or of a job with a problem; undefined if all is well. The server would
 * refuse it too, but late.
 */
function refusalOfKeys(
  { kind, key, input }: Definition,
  known: Keys,
  problems: ReadonlyMap<string, string>,
): DefinitionResult | undefined {
  const problem = kind.section === 'jobs' ? problems.get(key) : undefined;
  if (problem !== undefined) return refused(key, problem);
  for (const section of ['jobs', 'monitors'] as const) {
    const named = (input[section] ?? []) as readonly string[];
    const unknown = named.find((name) => name !== everyOne && !known[section].has(name));
    if (unknown === undefined) continue;
    const meant = nearest(unknown, [...known[section]]);
    const hint = meant === undefined ? `define it under ${section}:` : `did you mean ${meant}?`;
    return refused(key, `${section} names ${unknown}, which is not defined, ${hint}`);
  }
  return undefined;
}

/** Lets the server compare. */
async function compareThere(ask: Ask, sorted: readonly Definition[]): Promise<DefinitionResult[]> {
  const results: DefinitionResult[] = [];
  for (const kind of fileKinds) {
    const inputs = sorted.filter((definition) => definition.kind === kind).map(inputOf);
    results.push(...(await Array.fromAsync(sendDefinitions(ask, kind, inputs, { dryRun: true }))));
  }
  return results;
}

/** The one that has the key of a definition. */
function find(items: ManagedItems, { kind, key }: Definition): ManagedItem | undefined {
  return items[kind.section].find((item) => item.key === key);
}

/** Compares without the server, by the same rules, except for the values that nobody is shown. */
async function compareHere(
  ask: Ask,
  definitions: readonly Definition[],
  { managed, defaultTimeoutSeconds }: { managed: ManagedItems; defaultTimeoutSeconds: number },
): Promise<DefinitionResult[]> {
  const isAnyAdopted = definitions.some(
    (definition) => definition.adopt !== undefined && find(managed, definition) === undefined,
  );
  const all = isAnyAdopted ? await managedItems(ask, 'all') : managed;
  return definitions.map((definition) => {
    const { kind, key, input, adopt } = definition;
    const own = find(managed, definition);
    const item =
      own ?? all[kind.section].find((each) => each.key === null && each.id === adopt) ?? null;
    const isAdopted = own === undefined && item !== null;
    const result = { key, isAdopted, item, refusal: null };
    if (item === null) {
      return { ...result, change: 'create', changedFields: [], changedHidden: [] };
    }
    const compared = kind.compare(item, input, { defaultTimeoutSeconds });
    const change = compared.changedFields.length > 0 ? 'update' : 'none';
    return { ...result, change, ...compared };
  });
}

function byKey(one: { key: string }, other: { key: string }): number {
  return one.key < other.key ? -1 : 1;
}
