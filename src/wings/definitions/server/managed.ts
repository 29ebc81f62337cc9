/**
 * Jobs, monitors and channels that definitions manage. A definition is authoritative: a field that it leaves out has its
 * default. Applying it twice changes nothing the second time: the key says which one is meant, so a lost answer never
 * creates a second one.
 */

import type { CountGuesses, Guess } from '../../../domain/guess.ts';
import { checkKey } from '../../../domain/definition.ts';
import type { DefinitionChange } from '../../../domain/definition.ts';
import { JobdError } from '../../../domain/errors.ts';
import { isId } from '../../../domain/id.ts';
import {
  findManagedId,
  listManagedKeys,
  managedKeyOf,
  setManagedKey,
} from '../../../store/database/managed-keys.ts';
import type { ManagedTable } from '../../../store/database/managed-keys.ts';
import type { Db } from '../../../store/database/store.ts';
import type { App, Principal } from '../../../app/app.ts';
import { changeBy } from '../../../app/change.ts';
import type { NoteChange } from '../../../app/change.ts';
import { idCursor, pageOf, parseIdCursor } from '../../../app/page.ts';
import type { Page, PageRequest } from '../../../app/page.ts';

/** What a key should stand for. */
export interface Definition<Input> {
  key: string;
  /** Null for nothing at all. */
  input: Input | null;
  /** The one made by hand that gets the key, if none has it yet and that one exists. */
  adopt?: string;
}

/** What happened to what a definition is about, or would happen in a dry run. */
export interface Applied<Shown> {
  change: DefinitionChange;
  /** What differed in an update; empty for a creation. */
  fields: string[];
  /** The names of the hidden values that differed: headers of a job, or fields of the config of a channel. */
  hidden: string[];
  /** Whether one made by hand got the key. */
  isAdopted: boolean;
  /** As it is afterwards, in a dry run as it is now; null if there is none. */
  shown: Shown | null;
}

/** One of the workspace, and the key that definitions know it by; null if it was made by hand. */
export interface Managed<Shown> {
  key: string | null;
  shown: Shown;
}

/** What a decision is made with; `db` may be a transaction. */
export interface Scene {
  app: App;
  principal: Principal;
  db: Db;
  isDryRun: boolean;
  countGuesses: CountGuesses;
}

/** Does a part of what was decided, in a transaction. */
export type Perform<Result> = (tx: Db, note: NoteChange) => Promise<Result>;

/** The hidden values that a definition has, too. */
export function guessesIn(
  given: Readonly<Record<string, string>>,
  kept: Readonly<Record<string, string>>,
): Guess[] {
  const both = Object.entries(given).filter(([name]) => Object.hasOwn(kept, name));
  return both.map(([name, value]) => ({ kept: kept[name] ?? '', given: value }));
}

/** How an existing one differs from its definition. */
export interface Difference<Shown> {
  fields: string[];
  hidden: string[];
  perform: Perform<Shown>;
  /** Whether it may change while it is busy. */
  mayWhileBusy?: boolean;
}

/** What definitions of one kind mean: jobs, monitors or channels. `Kept` is one as it is kept, `Shown` as people see it. */
export interface ManagedKind<Input, Kept extends { id: string; name: string }, Shown> {
  table: ManagedTable;
  /** What people call one of them. */
  noun: 'job' | 'monitor' | 'channel';
  find: (db: Db, workspaceId: string, id: string) => Promise<Kept | undefined>;
  show: (scene: Scene, kept: Kept) => Promise<Shown>;
  /** Decides how to create one. Throws as creating it does. */
  create: (scene: Scene, input: Input) => Promise<{ id: string; perform: Perform<Shown> }>;
  /** Compares one with its definition. Throws as changing it does. */
  compare: (scene: Scene, kept: Kept, input: Input) => Promise<Difference<Shown>>;
  remove: (scene: Scene, kept: Kept) => Perform<void>;
  /** Whether it does something that must end before it is changed. */
  isBusy: (scene: Scene, kept: Kept) => Promise<boolean>;
  /** Tries until nothing is busy. Throws `conflict` if that takes too long. */
  untilFree: <T>(app: App, principal: Principal, tryOnce: TryOnce<T, Kept>) => Promise<T>;
}

/** The result of a try, or the one whose work prevents it. */
export type TryOnce<T, Kept> = () => Promise<{ result: T } | { executing: Kept }>;

/** For kinds that are never busy. */
export const neverBusy = {
  isBusy: async () => false,
  async untilFree<T>(_app: App, _principal: Principal, tryOnce: TryOnce<T, unknown>): Promise<T> {
    const tried = await tryOnce();
    if ('result' in tried) return tried.result;
    throw new Error('it cannot be busy');
  },
};

/** A page of those of the workspace with their keys, newest first; `isKeyNeeded` leaves out those made by hand. */
export async function listManaged<Input, Kept extends { id: string; name: string }, Shown>(
  app: App,
  principal: Principal,
  kind: ManagedKind<Input, Kept, Shown>,
  { limit, cursor, isKeyNeeded }: PageRequest & { isKeyNeeded: boolean },
): Promise<Page<Managed<Shown>>> {
  const { table } = kind;
  const { db } = app.store;
  const { workspaceId } = principal;
  const list = `managed-${table}`;
  const before = cursor === null ? null : parseIdCursor(list, cursor);
  const page = { limit: limit + 1, before, isKeyNeeded };
  const found = await listManagedKeys(db, table, workspaceId, page);
  const { items, nextCursor } = pageOf(found, limit, ({ id }) => idCursor(list, id));
  const scene = { app, principal, db, isDryRun: true, countGuesses: () => {} };
  const shown = await Promise.all(
    items.map(async ({ id, key }) => {
      const kept = await kind.find(db, workspaceId, id);
      return kept === undefined ? [] : [{ key, shown: await kind.show(scene, kept) }];
    }),
  );
  return { items: shown.flat(), nextCursor };
}

/**
 * Makes what a key stands for as its definition says, in one transaction. What already is as defined is not written.
 * Throws as creating, changing and deleting it do, and `conflict` if the one to adopt has another key.
 */
export async function applyManaged<Input, Kept extends { id: string; name: string }, Shown>(
  app: App,
  principal: Principal,
  kind: ManagedKind<Input, Kept, Shown>,
  definition: Definition<Input>,
  countGuesses: CountGuesses,
): Promise<Applied<Shown>> {
  checkKey(definition.key);
  const sceneIn = (db: Db): Scene => ({ app, principal, db, isDryRun: false, countGuesses });
  const applied = await kind.untilFree(app, principal, async () => {
    const seen = await decide(sceneIn(app.store.db), kind, definition);
    if (seen.perform === null) return { result: seen.applied };
    if (seen.blockedBy !== null) return { executing: seen.blockedBy };
    // Decided again inside the transaction, where nobody can change it in between.
    return await changeBy(app, principal, async (tx, note) => {
      const { applied: found, perform, blockedBy } = await decide(sceneIn(tx), kind, definition);
      if (blockedBy !== null) return { executing: blockedBy };
      return { result: perform === null ? found : { ...found, shown: await perform(tx, note) } };
    });
  });
  if (applied.change !== 'none' || applied.isAdopted) app.wake('claim');
  return applied;
}

/**
 * What `applyManaged` would do, also for an expired account. Throws every other refusal that is known in advance, except
 * that the account is full, and that keys which a channel names are of nothing yet.
 */
export async function previewManaged<Input, Kept extends { id: string; name: string }, Shown>(
  app: App,
  principal: Principal,
  kind: ManagedKind<Input, Kept, Shown>,
  definition: Definition<Input>,
  countGuesses: CountGuesses,
): Promise<Applied<Shown>> {
  checkKey(definition.key);
  const scene = { app, principal, db: app.store.db, isDryRun: true, countGuesses };
  return (await decide(scene, kind, definition)).applied;
}

interface Decision<Kept, Shown> {
  /** As it is now. */
  applied: Applied<Shown>;
  /** Carries it out; null if there is nothing to do. */
  perform: Perform<Shown | null> | null;
  /** The one that must come to rest first; null if nothing must. */
  blockedBy: Kept | null;
}

/** Decides what a definition changes, from what the scene's `db` sees now. */
async function decide<Input, Kept extends { id: string; name: string }, Shown>(
  scene: Scene,
  kind: ManagedKind<Input, Kept, Shown>,
  definition: Definition<Input>,
): Promise<Decision<Kept, Shown>> {
  const { key, input } = definition;
  const none = { fields: [], hidden: [], isAdopted: false, shown: null };
  const idle = { perform: null, blockedBy: null };
  const target = await findTarget(scene, kind, definition);
  if (target === undefined) {
    if (input === null) return { ...idle, applied: { change: 'none', ...none } };
    const { id, perform } = await kind.create(scene, input);
    const create: Perform<Shown> = async (tx, note) => {
      const shown = await perform(tx, note);
      await setManagedKey(tx, kind.table, id, key);
      return shown;
    };
    return { ...idle, applied: { change: 'create', ...none }, perform: create };
  }
  const { kept, isAdopted } = target;
  const busy = (await kind.isBusy(scene, kept)) ? kept : null;
  const shown = await kind.show(scene, kept);
  if (input === null) {
    const perform: Perform<null> = async (tx, note) => {
      await kind.remove(scene, kept)(tx, note);
      return null;
    };
    return { applied: { change: 'delete', ...none, shown }, perform, blockedBy: busy };
  }
  const difference = await kind.compare(scene, kept, input);
  const { fields, hidden, mayWhileBusy = false } = difference;
  const change = fields.length > 0 ? 'update' : 'none';
  const applied: Applied<Shown> = { change, fields, hidden, isAdopted, shown };
  if (fields.length === 0 && !isAdopted) return { ...idle, applied };
  const perform: Perform<Shown> = async (tx, note) => {
    const after = await difference.perform(tx, note);
    if (isAdopted) {
      await setManagedKey(tx, kind.table, kept.id, key);
      note({ action: `${kind.noun}.update`, subject: kept, fields: ['key'] });
    }
    return after;
  };
  return { applied, perform, blockedBy: mayWhileBusy ? null : busy };
}

interface Target<Kept> {
  kept: Kept;
  /** Whether it has no key yet. */
  isAdopted: boolean;
}

/** The one that a definition is about. Throws `conflict` if the one to adopt has another key. */
async function findTarget<Input, Kept extends { id: string; name: string }, Shown>(
  { db, principal: { workspaceId } }: Scene,
  { table, noun, find }: ManagedKind<Input, Kept, Shown>,
  { key, input, adopt }: Definition<Input>,
): Promise<Target<Kept> | undefined> {
  const id = await findManagedId(db, table, { workspaceId, key });
  const own = id && (await find(db, workspaceId, id));
  if (own) return { kept: own, isAdopted: false };
  if (adopt === undefined || input === null || !isId(adopt)) return undefined;
  const adopted = await find(db, workspaceId, adopt);
  if (adopted === undefined) return undefined;
  const other = await managedKeyOf(db, table, adopt);
  // Another request may have given it this key in between.
  if (other === null || other === key) return { kept: adopted, isAdopted: other === null };
  throw new JobdError(
    'conflict',
    `the ${noun} ${adopt} has the key ${other}, it cannot have ${key} too`,
  );
}
