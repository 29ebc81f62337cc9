import type { AuditEntry } from '../../api/accounts/contract.ts';
import { isKind, pageOf } from './places.ts';

/** What the list can be filtered by, with a word for each. */
export const auditSubjects: Record<string, string> = {
  job: 'jobs',
  monitor: 'monitors',
  channel: 'channels',
  window: 'windows',
  badge: 'badges',
  key: 'keys',
  session: 'sessions',
  workspace: 'workspaces',
  account: 'account',
  callkey: 'call key',
};

/** What an entry is about: `job`. */
export function subjectType({ action }: Pick<AuditEntry, 'action'>): string {
  return action.split('.', 1)[0] ?? '';
}

/** The page of what an entry is about, of a run if it names one; null if it has none, or was deleted by it. */
export function subjectPlace({ action, subject, runId }: AuditEntry): string | null {
  if (runId !== undefined) return `/jobs/${subject.id}/runs/${runId}`;
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
