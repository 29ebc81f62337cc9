/** Entries of the audit trail: they are added and pruned, and never changed. */

import { sql } from 'kysely';
import { auditRetention } from '../../domain/accounts/audit.ts';
import type { AuditEntry, KeptAuditEntry } from '../../domain/accounts/audit.ts';
import { msPerDay } from '../../domain/clock.ts';
import { locksRows, rowLock } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import type { AuditEntryRow } from '../database/schema-accounts.ts';
import { columnsOf, statement, statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';

const findLast = statement((db: Db, of: Parameters<{ workspaceId: string }>) =>
  db
    .selectFrom('audit_entries')
    .select('number')
    .where('workspace_id', '=', of('workspaceId'))
    .orderBy('number', 'desc')
    .limit(1)
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
] as const;

const insertEntry = statementForEach((db: Db, of: Parameters<AuditEntryRow>) =>
  db.insertInto('audit_entries').values(columnsOf(of, columns)).compile(),
);

/** Looks at as many of the oldest entries as were added, so that a young trail costs nothing. */
const removeOldest = statementForEach(
  (
    db: Db,
    of: Parameters<{ id: string; upTo: number; young: number; always: number; limit: number }>,
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
          .where('oldest.number', '<=', of('upTo'))
          .orderBy('oldest.number')
          .limit(of('limit')),
      )
      .where((entry) =>
        entry.or([entry('at', '<', of('young')), entry('number', '<=', of('always'))]),
      )
      .compile(),
);

/** Numbers are given one after another. */
async function lockWorkspace(tx: Db, id: string): Promise<void> {
  if (!locksRows(tx)) return;
  const workspace = tx.selectFrom('workspaces').select('id').where('id', '=', id);
  await workspace.modifyEnd(rowLock('workspaces')).execute();
}

/** Keeps entries of a workspace under the next numbers, and removes some of the oldest if there are too many. */
export async function insertAuditEntries(
  tx: Db,
  workspaceId: string,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await lockWorkspace(tx, workspaceId);
  const [newest] = await findLast(tx, { workspaceId });
  const before = newest?.number ?? 0;
  const rows = entries.map((entry, index) => rowOf(workspaceId, before + index + 1, entry));
  await insertEntry(tx, rows);
  const last = before + entries.length;
  const upTo = last - auditRetention.entries;
  if (upTo <= 0) return;
  const young = (entries.at(-1)?.at ?? 0) - auditRetention.youngDays * msPerDay;
  const always = last - auditRetention.mostEntries;
  await removeOldest(tx, [{ id: workspaceId, upTo, young, always, limit: entries.length + 1 }]);
}

function rowOf(
  workspaceId: string,
  number: number,
  { at, actor, address, forwardedFor, action, subject, fields, runId }: AuditEntry,
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

/** The workspace of the oldest entry from before a time, in epoch milliseconds, or undefined. */
export async function findOldAuditEntry(db: Db, before: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('audit_entries')
    .select('workspace_id as workspaceId')
    .where('at', '<', before)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  return row?.workspaceId;
}

/** Removes up to `limit` of the oldest entries from before a time. Returns how many. */
export async function removeOldAuditEntries(
  tx: Db,
  before: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_entries where (workspace_id, number) in (
      select workspace_id, number from audit_entries
      where at < ${before} order by at limit ${limit})`.execute(tx);
  return Number(numAffectedRows);
}
