import type { AuditEntry } from './audit.ts';

const verbs: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  pause: 'paused',
  resume: 'resumed',
  delete: 'deleted',
  run: 'ran',
  replay: 'replayed a due time of',
  report: 'ended a run of',
  test: 'tested',
  end: 'ended',
  revoke: 'revoked',
  rotate: 'rotated',
};

/** What an entry says between its actor and the name of its subject; the name is left out where it says nothing new. */
export function didWords({ action, actor, subject }: Did): { words: string; isNamed: boolean } {
  if (action === 'session.start') return { words: 'signed in', isNamed: false };
  if (action === 'session.end') {
    const isOwn = actor.id === subject.id;
    return { words: isOwn ? 'signed out' : 'ended the session of', isNamed: !isOwn };
  }
  const [type = '', verb = ''] = action.split('.');
  const noun = type === 'callkey' ? 'call key' : type;
  return { words: `${verbs[verb]} the ${noun}`, isNamed: true };
}

/** How often something was done, for the end of a line; empty for once. */
export function oftenWords({ action, count }: { action: string; count: number }): string {
  if (count === 1) return '';
  return action.endsWith('.create')
    ? `, and ${count - 1} more`
    : `, ${count} times within a minute`;
}

type Did = Pick<AuditEntry, 'action'> & Record<'actor' | 'subject', { id: string }>;
