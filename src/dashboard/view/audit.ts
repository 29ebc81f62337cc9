/** The audit trail in words. */

import type { AuditEntry } from '../../api/accounts/contract.ts';
import { isKind, pageOf } from './places.ts';

/** What the list can be filtered by, with a word for each. */
export const auditSubjects: Record<string, string> = {
  job: 'jobs',
  monitor: 'monitors',
  channel: 'channels',
  key: 'keys',
  session: 'sessions',
  workspace: 'workspaces',
  account: 'account',
};

/** What an entry is about: `job`. */
export function subjectType({ action }: Pick<AuditEntry, 'action'>): string {
  return action.split('.', 1)[0] ?? '';
}

/** The page of what an entry is about; null if it has none, or was deleted by it. */
export function subjectPlace({ action, subject }: AuditEntry): string | null {
  const type = subjectType({ action });
  return isKind(type) && !action.endsWith('.delete') ? pageOf(type, subject.id) : null;
}

/** The page of the changes to one job, monitor, channel or the like. */
export function changesTo(id: string): string {
  return `/audit?subject=${encodeURIComponent(id)}`;
}

/** The page of the changes by one key, session or the like. */
export function changesBy(id: string): string {
  return `/audit?actor=${encodeURIComponent(id)}`;
}

/** What is asked of the API for an address; nothing else of the address gets there. */
export function auditPath(asked: URLSearchParams): string {
  const wanted = new URLSearchParams({ limit: '50' });
  for (const name of ['action', 'subject', 'actor']) {
    const value = asked.get(name);
    if (value !== null && value !== '') wanted.set(name, value);
  }
  return `/audit?${wanted.toString()}`;
}
