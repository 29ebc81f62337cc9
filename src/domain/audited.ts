/** What entries of the audit trail mean to those who listen to events. */

import type { AuditAction, AuditEntry } from './accounts/audit.ts';
import type { Changed, WorkspaceChange } from './changes.ts';

/** Why a stream ends. `unauthenticated` is found when the key or session is looked at again, the two after it at once. */
export const endReasons = [
  'unavailable',
  'unauthenticated',
  'revoked',
  'signed out',
  'other workspace',
] as const;
export type EndReason = (typeof endReasons)[number];

/** The streams of a key or session, which end. */
export interface EndedStreams {
  actorId: string;
  reason: EndReason;
}

/** What changed, and whose streams end. */
export interface Effects {
  changes: WorkspaceChange[];
  ended: EndedStreams[];
}

const endings: ReadonlyMap<AuditAction, EndReason> = new Map([
  ['key.revoke', 'revoked'],
  ['session.end', 'signed out'],
  // Also where a session moves to another workspace. A new session has no streams.
  ['session.start', 'other workspace'],
]);

/** What these entries mean to streams. */
export function effectsOf(
  entries: readonly Pick<AuditEntry, 'workspaceId' | 'action' | 'subject' | 'made'>[],
): Effects {
  const effects: Effects = { changes: [], ended: [] };
  for (const { workspaceId, action, subject, made } of entries) {
    const reason = endings.get(action);
    if (reason !== undefined) effects.ended.push({ actorId: subject.id, reason });
    // Anything may be muted now.
    if (action.startsWith('window.')) effects.changes.push([workspaceId, null]);
    const part = partOf(action);
    if (part !== null) effects.changes.push([workspaceId, { [part]: made ?? [subject.id] }]);
  }
  return effects;
}

/** The list of `Changed` that has the subject of an action; null if none has. */
function partOf(action: AuditAction): Exclude<keyof Changed, 'runs'> | null {
  const [subject] = action.split('.');
  if (subject === 'job') return 'jobs';
  if (subject === 'monitor') return 'monitors';
  return subject === 'channel' ? 'channels' : null;
}
