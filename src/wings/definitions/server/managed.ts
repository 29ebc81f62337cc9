/**
 * Jobs, monitors and channels that definitions manage. A definition is authoritative: a field that it leaves out has its
 * default. Applying it twice changes nothing the second time: the key says which one is meant, so a lost answer never
 * creates a second one.
 */

import { hash } from 'node:crypto';
import { requireAccount, requirePaid } from '../../../app/accounts/account-limits.ts';
import type { App, Principal } from '../../../app/app.ts';
import { changeBy, type NoteChange } from '../../../app/change.ts';
import { untilIdle } from '../../../app/jobs/idle.ts';
import { plans, type Plan } from '../../../domain/accounts/plan.ts';
import { checkKey, withoutDefaults } from '../../../domain/definition.ts';
import type { DefinedKind, PlanAction } from '../../../domain/definition.ts';
import { JobdError } from '../../../domain/errors.ts';
import type { CountGuesses } from '../../../domain/guess.ts';
import { isId } from '../../../domain/id.ts';
import type { SealedJob } from '../../../domain/secrets/sealed-job.ts';
import {
  findManagedId,
  findManagedKeys,
  setManagedKey,
} from '../../../store/database/managed-keys.ts';
import type { ManagedTable } from '../../../store/database/managed-keys.ts';
import type { Db } from '../../../store/database/store.ts';

/** One as a definition says it, by the names of the API. Of one that is kept, hidden values are null. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a key should stand for. */
export interface Definition {
  key: string;
  /** The id of the one made by hand that gets the key, if none has it yet and that one exists. */
  adopt?: string | undefined;
  input: Fields;
}

/** The ids of jobs and monitors that definitions may name, by key; the key itself for one that is not there yet. */
export type Known = Readonly<Record<'jobs' | 'monitors', Map<string, string>>>;

/** What a decision is made with; `db` may be a transaction. */
export interface Scene {
  app: App;
  principal: Principal;
  db: Db;
  isDryRun: boolean;
  known: Known;
  /** The ids of those made by hand that no definition adopts, by table and name. */
  byHand: Map<string, string>;
  /** What to do about a word that is none of these. */
  hint: (word: string, words: () => string[], section: string) => string;
  countGuesses: CountGuesses;
}

/** Does what was decided, in a transaction. */
export type Perform = (tx: Db, note: NoteChange) => Promise<void>;

export interface Difference {
  fields: readonly string[];
  /** The names of the hidden values that differ: headers of a job, or fields of the config of a channel. */
  hidden: readonly string[];
  perform: Perform;
  /** Whether it may change while it executes. */
  mayWhileBusy?: boolean;
}

/** What definitions of one kind mean. `Kept` is one as it is kept. */
interface Rules<Input, Kept extends { id: string; name: string }> {
  table: ManagedTable;
  noun: DefinedKind;
  find: (db: Db, workspaceId: string, id: string) => Promise<Kept | undefined>;
  /** All fields of one that a definition decides. */
  fieldsOf: (scene: Scene, kept: Kept) => Promise<Fields>;
  /** What a definition that leaves a field out means by that. */
  defaults: (plan: Plan) => Fields;
  /** The fields that change together, by the name of the change. */
  together?: Readonly<Record<string, readonly string[]>>;
  /** Decides how to create one; null if its time is over, so that there is nothing to create. Throws as creating it does. */
  create: (scene: Scene, input: Input) => Promise<{ id: string; perform: Perform } | null>;
  /** Compares one with its definition. Throws as changing it does. */
  compare: (scene: Scene, kept: Kept, input: Input) => Promise<Difference>;
  remove: (scene: Scene, kept: Kept) => Perform;
  /** The job, if its call in flight must end before it is changed. */
  executing?: (scene: Scene, kept: Kept) => Promise<SealedJob | null>;
}

/** What happens to the one that a key stands for. */
export interface Decision {
  action: Exclude<PlanAction, 'refused'>;
  id: string | null;
  /** What differs in an update, with `key` if it gets that; empty for a creation. */
  fields: readonly string[];
  hidden: readonly string[];
  /** Those fields as they are, null for the default; all that is no default of one that is deleted. */
  before: Fields | null;
  /** Null if there is nothing to do. */
  perform: Perform | null;
  /** The job whose call must end first. */
  executing: SealedJob | null;
}

/** Jobs, monitors or channels, whatever is kept of one. */
export interface ManagedKind {
  table: ManagedTable;
  noun: DefinedKind;
  /** Decides from what the scene's `db` sees now. Throws as doing it does, and `conflict` if the one to adopt has another key, or is not the one of this name. */
  decide: (scene: Scene, definition: Definition) => Promise<Decision>;
  decideDeletion: (scene: Scene, key: string) => Promise<Decision>;
  /** The fields of one that are no default; undefined if there is none with this id. */
  written: (scene: Scene, id: string) => Promise<Fields | undefined>;
}

/** Characters of a text in `before`: of 1,000 long bodies all would be 100 MB in one answer. */
export const mostShown = 4_000;

const idle = { fields: [], hidden: [], before: null, perform: null, executing: null };

/** Makes a kind of its rules. */
export function managed<Input, Kept extends { id: string; name: string }>(
  rules: Rules<Input, Kept>,
): ManagedKind {
  const { table, noun, find, remove, executing = async () => null } = rules;
  return {
    table,
    noun,
    async decide(scene, definition) {
      const { key, adopt, input } = definition;
      checkKey(key);
      const target = await findTarget(scene, rules, key, adopt);
      if (target !== undefined) return await decideChange(scene, rules, definition, target);
      const made = await rules.create(scene, input as Input);
      if (made === null) return { ...idle, action: 'over', id: null };
      const name = String(input['name']);
      const meant = adopt && scene.byHand.get(`${table}/${name}`);
      if (meant) {
        const sentence = `adopt: no ${noun} here has the id ${adopt}; the ${noun} named ${name} is ${meant}`;
        throw new JobdError('conflict', `${sentence}: adopt that, or leave adopt out`);
      }
      const { id, perform } = made;
      const create: Perform = async (tx, note) => {
        await perform(tx, note);
        await setManagedKey(tx, table, id, key);
      };
      return { ...idle, action: 'create', id, perform: create };
    },
    async decideDeletion(scene, key) {
      const kept = (await findTarget(scene, rules, key))?.kept;
      if (kept === undefined) return { ...idle, action: 'unchanged', id: null };
      return {
        ...idle,
        action: 'delete',
        id: kept.id,
        before: shown(await writtenFields(scene, rules, kept)),
        perform: remove(scene, kept),
        executing: await executing(scene, kept),
      };
    },
    async written(scene, id) {
      const kept = await find(scene.db, scene.principal.workspaceId, id);
      return kept && (await writtenFields(scene, rules, kept));
    },
  };
}

async function writtenFields<Kept extends { id: string; name: string }>(
  scene: Scene,
  { fieldsOf, defaults }: Pick<Rules<never, Kept>, 'fieldsOf' | 'defaults'>,
  kept: Kept,
): Promise<Fields> {
  const { plan } = await requireAccount(scene.db, scene.principal);
  return withoutDefaults(await fieldsOf(scene, kept), defaults(plans[plan]));
}

async function decideChange<Input, Kept extends { id: string; name: string }>(
  scene: Scene,
  rules: Rules<Input, Kept>,
  { key, input }: Definition,
  { kept, isAdopted }: { kept: Kept; isAdopted: boolean },
): Promise<Decision> {
  const { id } = kept;
  const differs = await rules.compare(scene, kept, input as Input);
  const { fields, hidden, mayWhileBusy = false } = differs;
  const isSame = fields.length === 0;
  if (isSame && !isAdopted) return { ...idle, action: 'unchanged', id };
  const perform: Perform = async (tx, note) => {
    if (isSame) await requirePaid(tx, scene.principal, scene.app.clock.now());
    else await differs.perform(tx, note);
    if (!isAdopted) return;
    await setManagedKey(tx, rules.table, id, key);
    const { name = kept.name } = input as { name?: string };
    const subject = { id, name };
    note({ action: `${rules.noun}.update`, subject, fields: ['key'] });
  };
  if (isSame) return { ...idle, action: 'adopt', id, fields: ['key'], perform };
  const names = fields.flatMap((name) => rules.together?.[name] ?? [name]);
  const all = await writtenFields(scene, rules, kept);
  return {
    action: 'update',
    id,
    fields: isAdopted ? ['key', ...fields] : fields,
    hidden,
    before: shown(Object.fromEntries(names.map((name) => [name, all[name] ?? null]))),
    perform,
    executing: mayWhileBusy ? null : ((await rules.executing?.(scene, kept)) ?? null),
  };
}

/** Fields with long texts cut. What makes one differ from another stays. */
function shown(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== 'string' || value.length <= mostShown) return [name, value];
      const rest = `${value.length} characters, SHA-256 ${hash('sha256', value)}`;
      return [name, `${value.slice(0, mostShown)}… (${rest})`];
    }),
  );
}

/** The one that a definition is about, and whether it has no key yet. Throws `conflict` if the one to adopt has another key. */
async function findTarget<Kept extends { id: string; name: string }>(
  { db, principal: { workspaceId } }: Scene,
  { table, noun, find }: Pick<Rules<never, Kept>, 'table' | 'noun' | 'find'>,
  key: string,
  adopt?: string,
): Promise<{ kept: Kept; isAdopted: boolean } | undefined> {
  const id = await findManagedId(db, table, { workspaceId, key });
  const own = id && (await find(db, workspaceId, id));
  if (own) return { kept: own, isAdopted: false };
  if (adopt === undefined || !isId(adopt)) return undefined;
  const adopted = await find(db, workspaceId, adopt);
  if (adopted === undefined) return undefined;
  const keys = await findManagedKeys(db, table, { workspaceId, ids: [adopt] });
  const other = keys.get(adopt) ?? null;
  // Another request may have given it this key in between.
  if (other === null || other === key) return { kept: adopted, isAdopted: other === null };
  throw new JobdError(
    'conflict',
    `the ${noun} ${adopt} has the key ${other}, it cannot have ${key} too`,
  );
}

/** Does what `decide` decides, in one transaction. What already is as it should be is not written. Throws as `decide` does. */
export async function carryOut(
  scene: Scene,
  decide: (scene: Scene) => Promise<Decision>,
): Promise<Decision> {
  const { app, principal } = scene;
  return await untilIdle(app, principal, async () => {
    const seen = await decide(scene);
    if (seen.perform === null) return { result: seen };
    if (seen.executing !== null) return { executing: seen.executing };
    // Decided again inside the transaction, where nobody can change it in between.
    return await changeBy(app, principal, async (tx, note) => {
      const decision = await decide({ ...scene, db: tx });
      if (decision.executing !== null) return { executing: decision.executing };
      await decision.perform?.(tx, note);
      return { result: decision };
    });
  });
}

/** Whether hidden values are compared for somebody: who may only read must not find them by trying. */
export function mayCompare({ permission }: Principal): boolean {
  return permission === 'write';
}

/**
 * Values to compare with hidden ones of the same names: the given ones, which count as guesses. For a key that may only read they
 * are the hidden ones themselves, so that it learns nothing about them.
 */
export function comparable<Values extends Readonly<Record<string, string>>>(
  { principal, countGuesses }: Scene,
  given: Values,
  hidden: Readonly<Record<string, string>>,
): Values {
  const both = Object.entries(given).filter(([name]) => Object.hasOwn(hidden, name));
  if (!mayCompare(principal)) {
    return { ...given, ...Object.fromEntries(both.map(([name]) => [name, hidden[name]])) };
  }
  countGuesses(both.map(([name, value]) => ({ kept: hidden[name] ?? '', given: value })));
  return given;
}
