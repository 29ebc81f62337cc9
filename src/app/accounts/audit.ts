/** The audit trail, as people read it. */

import { auditActions } from '../../domain/accounts/audit.ts';
import type { AuditAction, KeptAuditEntry } from '../../domain/accounts/audit.ts';
import { got, invalidInput } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { listAuditEntries } from '../../store/accounts/audit.ts';
import type { App, Principal } from '../app.ts';
import { numberCursor, parseNumberCursor } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';

/** The entries that a person asks for; null for all. */
export interface AuditFilter {
  /** The id of a job, monitor, channel, key, session, workspace or account. */
  subject: string | null;
  /** The id of a key or session, or the user of a command. */
  actor: string | null;
  /** An action, or the type of its subject. */
  action: string | null;
}

/** A page of entries; with `isPartial`, more may match than were read. */
export interface AuditEntries extends Page<KeptAuditEntry> {
  isPartial: boolean;
}

/** The most entries that a request reads. */
const mostRead = 2_000;
/** Where a filter may leave out most of what is read. */
const readAtOnce = 500;

/** What `action` may be. */
export const auditActionWords: readonly string[] = [
  ...new Set(auditActions.map((action) => action.split('.', 1)[0] ?? '')),
  ...auditActions,
];

/** The workspace's entries, newest first. Throws `invalid_input` for a subject that is no id, and for a cursor of another list. */
export async function listAudit(
  { store }: Pick<App, 'store'>,
  { workspaceId }: Principal,
  { subject, actor, action }: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<AuditEntries> {
  if (subject !== null && !isId(subject))
    throw invalidInput(`subject must be an id, ${got(subject)}`);
  const list = `audit ${workspaceId}`;
  const isWanted = (entry: KeptAuditEntry): boolean =>
    (actor === null || entry.actor.id === actor) &&
    (action === null || isAction(entry.action, action));
  const items: KeptAuditEntry[] = [];
  let before = cursor === null ? null : parseNumberCursor(list, cursor);
  const pageSize = actor === null && action === null ? limit + 1 : readAtOnce;
  for (let read = 0; read < mostRead; read += pageSize) {
    const page = { subjectId: subject, before, limit: pageSize };
    const found = await listAuditEntries(store.db, workspaceId, page);
    items.push(...found.filter(isWanted));
    if (items.length > limit) {
      items.length = limit;
      return { items, nextCursor: cursorAfter(items), isPartial: false };
    }
    const last = found.at(-1);
    if (last === undefined || found.length < pageSize) {
      return { items, nextCursor: null, isPartial: false };
    }
    before = last.number;
  }
  return { items, nextCursor: numberCursor(list, before ?? 0), isPartial: true };

  function cursorAfter(entries: readonly KeptAuditEntry[]): string {
    return numberCursor(list, entries.at(-1)?.number ?? 0);
  }
}

function isAction(action: AuditAction, wanted: string): boolean {
  return action === wanted || action.startsWith(`${wanted}.`);
}
