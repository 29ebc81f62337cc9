/**
 * All definitions of a request, planned together and then applied. What will be refused is known before anything is changed, as
 * far as it can be (docs/decisions/0012-definitions.md#0076).
 */

import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { mostDefinitions, type PlanAction } from '../../../domain/definition.ts';
import { invalidInput, JobdError, messageOf } from '../../../domain/errors.ts';
import { longestChain } from '../../../domain/jobs/after-words.ts';
import { nearest } from '../../../domain/nearest.ts';
import { listManagedKeys } from '../../../store/database/managed-keys.ts';
import type { KeyedRow, ManagedTable } from '../../../store/database/managed-keys.ts';
import { chainsOf, type Chains, type Place } from './chains.ts';
import { managedChannels } from './channels.ts';
import { managedJobs } from './jobs.ts';
import { carryOut } from './managed.ts';
import type { Decision, Definition, ManagedKind, Scene } from './managed.ts';
import { managedMonitors } from './monitors.ts';

/** In the order in which they are applied: channels name jobs and monitors. */
export const managedKinds = [managedJobs, managedMonitors, managedChannels] as const;

/** What should be, by kind. */
export type Wanted = Readonly<Record<ManagedTable, readonly Definition[]>>;

/** A key, and how it is decided what happens to the one that it stands for. */
interface Task {
  kind: ManagedKind;
  key: string;
  /** It waits for all of lower phases. */
  phase: number;
  /** Decides it, now or again. Throws why it cannot be done. */
  decide: (scene: Scene) => Promise<Decision>;
}

/** What applying does, or has done, to the one that a key stands for. */
export interface PlannedChange extends Task, Pick<Decision, 'id' | 'fields' | 'hidden' | 'before'> {
  action: PlanAction;
  /** Why it is not done, with the HTTP status that a request for it alone would get. */
  refusal: { status: number; error: string } | null;
  isDone: boolean;
}

export interface Plan {
  /** Ordered by kind and key; deletions come last. */
  changes: PlannedChange[];
  /** Managed ones that are not wanted, and stay; with why pruning would not delete one, as it would be refused. */
  unlisted: (Pick<Task, 'kind' | 'key'> & { refusal: string | null })[];
}

/** Looking for what was meant takes time. Words of a request that are looked for, and words that they are compared with, at most. */
const mostHints = 5;
const mostWords = 2_000;

/** A scene in which nothing is known yet. */
export function newScene(
  parts: Pick<Scene, 'app' | 'principal' | 'isDryRun' | 'countGuesses'>,
): Scene {
  let hintsLeft = mostHints;
  return {
    ...parts,
    db: parts.app.store.db,
    known: { jobs: new Map(), monitors: new Map() },
    byHand: new Map(),
    hint(word, words, section) {
      hintsLeft -= 1;
      const meant = hintsLeft < 0 ? undefined : nearest(word, words().slice(0, mostWords));
      return meant === undefined ? `define it under ${section}:` : `did you mean ${meant}?`;
    },
  };
}

/** Plans, until whoever asked has left. With `prune` managed ones that are not wanted go, and a definition may name only what is wanted. */
export async function makePlan(
  scene: Scene,
  wanted: Wanted,
  prune: boolean,
  signal: AbortSignal,
): Promise<Plan> {
  const rows = {
    jobs: await rowsOf(scene, 'jobs'),
    monitors: await rowsOf(scene, 'monitors'),
    channels: await rowsOf(scene, 'channels'),
  };
  for (const { table } of managedKinds) {
    const adopted = new Set(wanted[table].map(({ adopt }) => adopt));
    for (const { id, key, name } of rows[table]) {
      if (key === null && !adopted.has(id)) scene.byHand.set(`${table}/${name}`, id);
    }
  }
  const others = managedKinds.flatMap((kind) => {
    const wantedKeys = new Set(wanted[kind.table].map(({ key }) => key));
    const keys = rows[kind.table].flatMap(({ key }) => key ?? []);
    return keys.filter((key) => !wantedKeys.has(key)).map((key) => ({ kind, key }));
  });
  if (prune && others.length > mostDefinitions) {
    const sentence = `prune would delete ${others.length}, and deletes ${mostDefinitions} at most`;
    throw invalidInput(`${sentence}: delete some by their names first`);
  }
  for (const table of ['jobs', 'monitors'] as const) {
    const ids = new Map(rows[table].map(({ key, id }) => [key, id]));
    const keys = [...(prune ? [] : ids.keys()), ...wanted[table].map(({ key }) => key)];
    for (const key of keys) if (key !== null) scene.known[table].set(key, ids.get(key) ?? key);
  }
  const chains = chainsOf(wanted.jobs, rows.jobs, scene, prune);
  const tasks = tasksOf(wanted, prune ? others : [], chains);
  const changes: PlannedChange[] = [];
  const keys = new Map<string, string>();
  for (const task of tasks) {
    // Other requests wait for one of them at most.
    await setImmediate(null, { signal });
    const change = await planned(scene, task);
    const other = change.id === null ? undefined : keys.get(change.id);
    changes.push(other === undefined ? change : sameAs(other, change));
    if (change.id !== null && other === undefined) keys.set(change.id, change.key);
  }
  const serving = prune ? new Map() : servingIn(wanted.channels);
  const unlisted = others.map(({ kind, key }) => {
    const { fault = serving.get(`${kind.table}/${key}`) } = placeOfDeleted(chains, kind, key);
    return { kind, key, refusal: fault === undefined ? null : messageOf(fault) };
  });
  return { changes: changes.toSorted(byKindAndKey), unlisted: prune ? [] : unlisted };
}

/** Why what channels name cannot be deleted while they are defined so, by table and key. */
function servingIn(channels: readonly Definition[]): Map<string, JobdError> {
  const named = channels.flatMap(({ key: channel, input }) => {
    const fault = new JobdError('conflict', `the channel ${channel} names it`);
    const keysOf = (table: string) => (input[table] ?? []) as readonly string[];
    return ['jobs', 'monitors'].flatMap((table) =>
      keysOf(table).map((key) => [`${table}/${key}`, fault] as const),
    );
  });
  return new Map(named);
}

/** The rows of a workspace, newest first. */
async function rowsOf(
  { db, principal: { workspaceId } }: Scene,
  table: ManagedTable,
): Promise<KeyedRow[]> {
  const rows: KeyedRow[] = [];
  for (let before: string | null | undefined = null; before !== undefined;) {
    const asked = { limit: 1_000, before, isKeyNeeded: false };
    const page = await listManagedKeys(db, table, workspaceId, asked);
    rows.push(...page);
    before = page.length === 1_000 ? page.at(-1)?.id : undefined;
    await setImmediate();
  }
  return rows;
}

/** In the order in which they are planned: a job after the one that it names, since that says which one is adopted. */
function tasksOf(
  wanted: Wanted,
  unwanted: readonly Pick<Task, 'kind' | 'key'>[],
  chains: Chains,
): Task[] {
  const jobs = wanted.jobs.map((definition) => chains.placed(definition));
  return [
    ...jobs
      .toSorted((one, other) => one.place - other.place)
      .map(({ definition, place, fault }) => taskOf(managedJobs, place, definition, fault)),
    ...wanted.monitors.map((definition) => taskOf(managedMonitors, 0, definition)),
    ...wanted.channels.map((definition) => taskOf(managedChannels, longestChain, definition)),
    // Channels first: they name what else goes. Then the last job of a chain.
    ...unwanted.map(({ kind, key }): Task => {
      const { place, fault } = placeOfDeleted(chains, kind, key);
      const phase = longestChain + (kind === managedChannels ? 1 : longestChain + 2 - place);
      return {
        kind,
        key,
        phase,
        decide: async (scene) => kind.decideDeletion(scene, unless(fault, key)),
      };
    }),
  ];
}

function taskOf(kind: ManagedKind, phase: number, definition: Definition, fault?: unknown): Task {
  const decide = async (scene: Scene) => kind.decide(scene, unless(fault, definition));
  return { kind, key: definition.key, phase, decide };
}

function placeOfDeleted(chains: Chains, kind: ManagedKind, key: string): Place {
  return kind === managedJobs ? chains.deleted(key) : { place: 0, fault: undefined };
}

/** The value, unless there is a fault, which it throws. */
function unless<T>(fault: unknown, value: T): T {
  if (fault !== undefined) throw fault;
  return value;
}

async function planned(scene: Scene, task: Task): Promise<PlannedChange> {
  const change = { ...task, isDone: false, refusal: null };
  try {
    const { perform: _, executing: __, ...decision } = await task.decide(scene);
    const { action, id } = decision;
    if (action === 'create') return { ...change, ...decision, id: null };
    know(scene, task, id);
    return { ...change, ...decision };
  } catch (error) {
    return { ...change, ...refused, refusal: refusalOf(error, 499) };
  }
}

/** What is planned or done with a key is known to what comes after it. */
function know({ known }: Scene, { kind: { table }, key }: Task, id: string | null): void {
  if (table !== 'channels' && id !== null) known[table].set(key, id);
}

const refused = { id: null, fields: [], hidden: [], before: null, action: 'refused' as const };

/** One can have one key. */
function sameAs(other: string, change: PlannedChange): PlannedChange {
  const { kind, key, id } = change;
  const error = `the ${kind.noun} ${id} is adopted by ${other} too: give ${key} another one`;
  return { ...change, ...refused, refusal: { status: 409, error } };
}

/** Why one thing is not done. Throws errors that are no answer to it: those of a status above `most`, and any that is no `JobdError`. */
function refusalOf(error: unknown, most: number): PlannedChange['refusal'] {
  if (!(error instanceof JobdError) || error.httpStatus > most) throw error;
  return { status: error.httpStatus, error: error.message };
}

function byKindAndKey(one: PlannedChange, other: PlannedChange): number {
  const rankOf = ({ kind, action }: PlannedChange): number => {
    const rank = managedKinds.indexOf(kind);
    return action === 'delete' ? 2 * managedKinds.length - rank : rank;
  };
  return rankOf(one) - rankOf(other) || (one.key < other.key ? -1 : 1);
}

/** What a plan does, in a word: what is asked for or there in another way has another one. */
export function markOf({ changes }: Plan, wanted: Wanted): string {
  const does = changes.map(({ kind, key, id, action, fields, hidden, before }) => [
    kind.noun,
    key,
    id,
    action,
    fields,
    hidden,
    before,
  ]);
  return hash('sha256', JSON.stringify([wanted, does])).slice(0, 32);
}

/** The changes that are to be made. */
export function changesIn({ changes }: Plan): PlannedChange[] {
  return changes.filter(({ action }) => !['unchanged', 'over', 'refused'].includes(action));
}

/** No change is begun after this time: clients wait for an answer. */
const longestApplyMs = 45_000;

/**
 * Makes the changes of a plan, each in a transaction of its own, and notes in the plan what came of it. Those of a phase go side
 * by side, as each may wait for a run. After a phase in which one is refused no other begins. Throws `unavailable` if
 * the store is, and nothing was done, and what is no refusal.
 */
export async function applyPlan(scene: Scene, plan: Plan): Promise<void> {
  const { app } = scene;
  const deadline = app.clock.monotonicMs() + longestApplyMs;
  let outage: unknown;
  const phases = [...Map.groupBy(changesIn(plan), ({ phase }) => phase)];
  const applyOne = async (change: PlannedChange): Promise<void> => {
    if (app.clock.monotonicMs() > deadline) return;
    try {
      const { id, action, fields, hidden } = await carryOut(scene, change.decide);
      Object.assign(change, { id, action, fields, hidden, isDone: true });
      know(scene, change, id);
    } catch (error) {
      change.refusal = refusalOf(error, 599);
      if (change.refusal?.status === 503) outage ??= error;
    }
  };
  for (const [, changes] of phases.toSorted(([one], [other]) => one - other)) {
    let started: Promise<unknown> = Promise.resolve();
    await Promise.all(
      changes.map((change) => {
        started = started.then(() => setImmediate());
        return started.then(() => applyOne(change));
      }),
    );
    if (changes.some(({ isDone }) => !isDone)) break;
  }
  if (outage !== undefined && plan.changes.every(({ isDone }) => !isDone)) throw outage;
  app.wake('claim');
}
