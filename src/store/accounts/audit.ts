/** Entries of the audit trail: they are added, counted on and pruned, and never changed. */

import { auditRetention, isFolded, mayFold } from '../../domain/accounts/audit.ts';
import type { AuditEntry, KeptAuditEntry } from '../../domain/accounts/audit.ts';
import { msPerDay } from '../../domain/clock.ts';
import { lockAccountOf } from './accounts.ts';
import type { Db } from '../database/store.ts';
import type { AuditEntryRow } from '../database/schema-accounts.ts';
import { columnsOf, statement, statementForEach, type Parameters } from '../database/statement.ts';

/** The newest entry of a workspace, and what the newest one of an actor says, if there is one. */
interface Last {
  number: number;
  actorNumber: number | null;
  actorDayNumber: number | null;
  at: number | null;
}

const findLast = statement((db: Db, of: Parameters<{ workspaceId: string; group: string }>) =>
  db
    .selectFrom(
      db
        .selectFrom('audit_entries')
        .select('number')
        .where('workspace_id', '=', of('workspaceId'))
        .orderBy('number', 'desc')
        .limit(1)
        .as('newest'),
    )
    .leftJoin(
      db
        .selectFrom('audit_entries')
        .select(['actor_number', 'actor_day_number', 'at'])
        .where('workspace_id', '=', of('workspaceId'))
        .where('actor_group', '=', of('group'))
        .orderBy('actor_number', 'desc')
        .limit(1)
        .as('own'),
      (join) => join.onTrue(),
    )
    .select([
      'newest.number',
      'own.actor_number as actorNumber',
      'own.actor_day_number as actorDayNumber',
      'own.at',
    ])
    .compile(),
);

const addCount = statementForEach(
  (db: Db, of: Parameters<{ workspaceId: string; number: number; more: number }>) =>
    db
      .updateTable('audit_entries')
      .set((entry) => ({ count: entry('count', '+', of('more')) }))
      .where('workspace_id', '=', of('workspaceId'))
      .where('number', '=', of('number'))
      .compile(),
);

const columns = [
  'workspace_id',
  'number',
  'at',
  'actor_type',
  'actor_id',
  'actor_name',
  'address',
  'forwarded_for',
  'action',
  'subject_id',
  'subject_name',
  'fields',
  'run_id',
  'count',
  'actor_group',
  'actor_number',
  'actor_day_number',
] as const;

const insertEntry = statementForEach((db: Db, of: Parameters<AuditEntryRow>) =>
  db.insertInto('audit_entries').values(columnsOf(of, columns)).compile(),
);

/** Looks at as many of the actor's oldest entries as were added, so that a young trail costs nothing. */
const removeOldest = statementForEach(
  (
    db: Db,
    of: Parameters<{ id: string; group: string; upTo: number; young: number; limit: number }>,
  ) =>
    db
      .deleteFrom('audit_entries')
      .where('workspace_id', '=', of('id'))
      .where(
        'number',
        'in',
        db
          .selectFrom('audit_entries as oldest')
          .select('oldest.number')
          .where('oldest.workspace_id', '=', of('id'))
          .where('oldest.actor_group', '=', of('group'))
          .where('oldest.actor_number', '<=', of('upTo'))
          .orderBy('oldest.actor_number')
          .limit(of('limit')),
      )
      .where('at', '<', of('young'))
      .compile(),
);

/** Each entry of an actor comes by here once, when it has become the one too many. */
const removeYoung = statementForEach(
  (
    db: Db,
    of: Parameters<{ id: string; group: string; after: number; upTo: number; young: number }>,
  ) =>
    db
      .deleteFrom('audit_entries')
      .where('workspace_id', '=', of('id'))
      .where('actor_group', '=', of('group'))
      .where('actor_number', '>', of('after'))
      .where('actor_number', '<=', of('upTo'))
      .where('actor_day_number', '>', auditRetention.firstOfDay)
      .where('at', '>=', of('young'))
      .compile(),
);

/** Keeps entries of an actor under the next numbers, or adds them to equal ones, and removes the oldest of too many. */
export async function insertAuditEntries(
  tx: Db,
  workspaceId: string,
  entries: readonly AuditEntry[],
): Promise<AddedEntries | undefined> {
  if (entries.length === 0) return undefined;
  // Numbers are given one after another.
  await lockAccountOf(tx, workspaceId);
  const added: AddedEntry[] = [];
  let counted: KeptAuditEntry | undefined;
  for (const entry of entries) {
    const count = entry.made?.length ?? 1;
    const other = added.findLast(({ subject }) => subject.id === entry.subject.id);
    const same = other === undefined ? await findSame(tx, entry) : undefined;
    if (same !== undefined) {
      await addCount(tx, [{ workspaceId, number: same.number, more: count }]);
      counted = { ...same, count: same.count + count };
    } else if (other !== undefined && isFolded(other, entry)) other.count += count;
    else added.push({ ...entry, count });
  }
  const [first] = added;
  if (first === undefined) return { last: counted, shortened: [] };
  const group = groupOf(first);
  const [before] = await findLast(tx, { workspaceId, group });
  const rows = rowsOf(group, added, before);
  await insertEntry(tx, rows);
  const last = rows.at(-1);
  return {
    last: last && entryOf(last),
    shortened: (await shorten(tx, workspaceId, rows)) ? [group] : [],
  };
}

export interface AddedEntries {
  /** The last one, as it is kept. */
  last: KeptAuditEntry | undefined;
  /** The actors, by their groups, who lost a young entry. */
  shortened: string[];
}

type AddedEntry = AuditEntry & Pick<KeptAuditEntry, 'count'>;

/** The newest entry about the same subject, if this is only another one of it. */
async function findSame(tx: Db, entry: AuditEntry): Promise<KeptAuditEntry | undefined> {
  if (!mayFold(entry)) return undefined;
  const page = { subjectId: entry.subject.id, before: null, limit: 1 };
  const [newest] = await listAuditEntries(tx, entry.workspaceId, page);
  return newest !== undefined && isFolded(newest, entry) ? newest : undefined;
}

/** Removes what new rows of an actor push out. Returns whether a young entry was among it. */
async function shorten(tx: Db, id: string, rows: readonly AuditEntryRow[]): Promise<boolean> {
  const last = rows.at(-1);
  if (last === undefined) return false;
  const { actor_group: group, actor_number: number, at } = last;
  const upTo = number - auditRetention.entries;
  if (upTo <= 0) return false;
  const young = at - auditRetention.youngDays * msPerDay;
  await removeOldest(tx, [{ id, group, upTo, young, limit: rows.length + 1 }]);
  const always = number - auditRetention.mostEntries;
  if (always <= 0) return false;
  const after = always - rows.length;
  const [wasRemoved = false] = await removeYoung(tx, [{ id, group, after, upTo: always, young }]);
  return wasRemoved;
}

function groupOf({ keyId, actor }: AuditEntry): string {
  return keyId ?? actor.id;
}

function rowsOf(
  group: string,
  added: readonly AddedEntry[],
  before: Last | undefined,
): AuditEntryRow[] {
  const number = before?.number ?? 0;
  let actorNumber = before?.actorNumber ?? 0;
  let actorDayNumber = before?.actorDayNumber ?? 0;
  let at = before?.at ?? 0;
  return added.map((entry, index) => {
    const isSameDay = Math.floor(at / msPerDay) === Math.floor(entry.at / msPerDay);
    actorNumber += 1;
    actorDayNumber = isSameDay ? actorDayNumber + 1 : 1;
    at = entry.at;
    return rowOf(group, number + index + 1, entry, { actorNumber, actorDayNumber });
  });
}

/**
 * Whether this entry is there, and not another one under its number. Whoever may still be adding it is waited for. Two changes of
 * one actor in one millisecond are told apart by their subjects and runs; equal updates within a minute by their count.
 */
export async function isAuditEntryKept(tx: Db, wanted: KeptAuditEntry): Promise<boolean> {
  const { workspaceId, number } = wanted;
  await lockAccountOf(tx, workspaceId);
  const row = await tx
    .selectFrom('audit_entries')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('number', '=', number)
    .executeTakeFirst();
  if (row === undefined) return false;
  const kept = entryOf(row);
  return kept.count >= wanted.count && tellingOf(kept) === tellingOf(wanted);
}

/** Names are left out: the database may keep characters of them that are no text in another form. */
function tellingOf({ at, actor, action, subject, fields, runId }: AuditEntry): string {
  return JSON.stringify([at, actor.id, action, subject.id, fields, runId]);
}

function rowOf(
  group: string,
  number: number,
  {
    workspaceId,
    at,
    actor,
    address,
    forwardedFor,
    action,
    subject,
    fields,
    runId,
    count,
  }: AddedEntry,
  { actorNumber, actorDayNumber }: { actorNumber: number; actorDayNumber: number },
): AuditEntryRow {
  return {
    workspace_id: workspaceId,
    number,
    at,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    address,
    forwarded_for: forwardedFor,
    action,
    subject_id: subject.id,
    subject_name: subject.name,
    fields: fields.join(' '),
    run_id: runId ?? null,
    count,
    actor_group: group,
    actor_number: actorNumber,
    actor_day_number: actorDayNumber,
  };
}

/** A page of entries, newest first, before a number if one is given. */
export interface AuditPage {
  /** Only entries about this job, monitor, channel, key, session, workspace or account. */
  subjectId: string | null;
  before: number | null;
  limit: number;
}

/** The entries of a workspace, newest first. */
export async function listAuditEntries(
  db: Db,
  workspaceId: string,
  { subjectId, before, limit }: AuditPage,
): Promise<KeptAuditEntry[]> {
  let query = db.selectFrom('audit_entries').selectAll().where('workspace_id', '=', workspaceId);
  if (subjectId !== null) query = query.where('subject_id', '=', subjectId);
  if (before !== null) query = query.where('number', '<', before);
  const rows = await query.orderBy('number', 'desc').limit(limit).execute();
  return rows.map(entryOf);
}

function entryOf(row: AuditEntryRow): KeptAuditEntry {
  return {
    workspaceId: row.workspace_id,
    number: row.number,
    count: row.count,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    address: row.address,
    forwardedFor: row.forwarded_for,
    action: row.action,
    subject: { id: row.subject_id, name: row.subject_name },
    fields: row.fields === '' ? [] : row.fields.split(' '),
    ...(row.run_id !== null && { runId: row.run_id }),
  };
}

/** Whether an update of something changed one of these fields, as far as its newest 100 entries say. */
export async function wasUpdated(
  db: Db,
  { workspaceId, subjectId }: { workspaceId: string; subjectId: string },
  fields: readonly string[],
): Promise<boolean> {
  const entries = await listAuditEntries(db, workspaceId, { subjectId, before: null, limit: 100 });
  const isNamed = (field: string): boolean => fields.includes(field);
  return entries.length === 100 || entries.some((entry) => entry.fields.some(isNamed));
}
