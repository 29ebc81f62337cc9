/** The audit trail in words. */

import type { AuditEntry } from '../../api/accounts/contract.ts';

/** What somebody did, between who did it and to what. */
export const auditWords: Record<AuditEntry['action'], string> = {
  'job.create': 'created the job',
  'job.update': 'changed the job',
  'job.pause': 'paused the job',
  'job.resume': 'resumed the job',
  'job.delete': 'deleted the job',
  'job.run': 'ran the job',
  'monitor.create': 'created the monitor',
  'monitor.update': 'changed the monitor',
  'monitor.pause': 'paused the monitor',
  'monitor.resume': 'resumed the monitor',
  'monitor.delete': 'deleted the monitor',
  'channel.create': 'created the channel',
  'channel.update': 'changed the channel',
  'channel.delete': 'deleted the channel',
  'channel.test': 'tested the channel',
  'key.create': 'created the key',
  'key.revoke': 'revoked the key',
  'session.start': 'signed in',
  'session.end': 'ended the session of',
  'workspace.create': 'created the workspace',
  'account.update': 'changed the account',
};

/** What an entry says between its actor and the name of its subject; the name is left out where it says nothing new. */
export function didWords({ action, actor, subject }: AuditEntry): {
  words: string;
  isNamed: boolean;
} {
  if (action === 'session.end' && actor.id === subject.id) {
    return { words: 'signed out', isNamed: false };
  }
  return { words: auditWords[action], isNamed: action !== 'session.start' };
}

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

const places: Record<string, string> = {
  job: '/jobs/',
  monitor: '/monitors/',
  channel: '/channels/',
};

/** The page of what an entry is about; null if it has none, or was deleted by it. */
export function subjectPlace({ action, subject }: AuditEntry): string | null {
  const place = places[subjectType({ action })];
  return place === undefined || action.endsWith('.delete') ? null : place + subject.id;
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
