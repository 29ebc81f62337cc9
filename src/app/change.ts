/** Every change that a person makes is written here: with its entry in the audit trail, in one transaction. */

import { userInfo } from 'node:os';
import type { AuditEntry, Change } from '../domain/accounts/audit.ts';
import { insertAuditEntries } from '../store/accounts/audit.ts';
import type { Db } from '../store/database/open.ts';
import type { App, Principal } from './app.ts';

/** Notes a change for the audit trail. Nothing is written for what is not noted. */
export type NoteChange = (change: Change) => void;

/** The parts of the app that a change needs. A command has no `onChanged`: nobody listens in its process. */
export type ChangeParts = Pick<App, 'store' | 'clock'> & Partial<Pick<App, 'onChanged'>>;

/** Who makes a change, and where from. */
export type Author = Pick<Principal, 'actor' | 'sender' | 'workspaceId'>;

/**
 * Does `work` in a transaction that also keeps the changes it notes. After the commit `onChanged` hears of them. Throws
 * what `work` throws; then nothing is written.
 */
export async function changeBy<T>(
  { store, clock, onChanged }: ChangeParts,
  { actor, sender, workspaceId }: Author,
  work: (tx: Db, note: NoteChange) => Promise<T>,
): Promise<T> {
  const entries: AuditEntry[] = [];
  const result = await store.write(async (tx) => {
    entries.length = 0;
    const done = await work(tx, ({ action, subject: { id, name }, fields = [] }) => {
      const at = clock.now();
      const subject = { id, name };
      entries.push({ workspaceId, at, actor, ...sender, action, subject, fields });
    });
    await insertAuditEntries(tx, workspaceId, entries);
    return done;
  });
  if (entries.length > 0) onChanged?.(entries);
  return result;
}

/** A command of this machine's user as an author. */
export function commandIn(workspaceId: string): Author {
  const user = userName();
  const actor = { type: 'command', id: user, name: user } as const;
  return { actor, sender: { address: null, forwardedFor: null }, workspaceId };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
