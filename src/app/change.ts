/** Every change that a person makes is written here: with its entry in the audit trail, in one transaction. */

import { changesNothing } from '../domain/accounts/audit.ts';
import type { AuditEntry, Change, KeptAuditEntry } from '../domain/accounts/audit.ts';
import { effectsOf } from '../domain/audited.ts';
import { lockAccountOf } from '../store/accounts/accounts.ts';
import { insertAuditEntries, isAuditEntryKept } from '../store/accounts/audit.ts';
import type { Db } from '../store/database/store.ts';
import type { ChangesApp, Ground, Principal } from './app.ts';
import { writeConfirmed } from './confirmed.ts';
import { callerNow, type Caller } from './operator/caller.ts';
import { inTurn } from './turns.ts';

/** Notes a change for the audit trail. Nothing is written for what is not noted, and for an update that changes no field. */
export type NoteChange = (change: Change) => void;

/** Notes a change for the audit trail of a workspace. */
export type NoteChangeIn = (workspaceId: string, change: Change) => void;

/** The parts of the app that a change needs. A command has no `onChanged`: nobody listens in its process, and others hear hints. */
export type ChangeParts = Ground & Partial<ChangesApp>;

/** The parts that a command needs. Without `caller` it is the user that this process acts as. */
export type CommandParts = Ground & { caller?: Caller };

/** Who makes a change, and where from. */
export type Author = Pick<Principal, 'actor' | 'sender' | 'workspaceId'> &
  Partial<Pick<Principal, 'keyId'>>;

/**
 * Does `work` in a transaction that also keeps the changes it notes: changes of one account come one after another. After the commit `onChanged` and other processes hear of them. Throws
 * what `work` throws; then nothing is written. What `known` finds is returned at once: it is asked when this change has its turn,
 * and takes no lock.
 */
export async function changeBy<T>(
  parts: ChangeParts,
  { workspaceId, ...by }: Author,
  work: (tx: Db, note: NoteChange) => Promise<T>,
  known: (db: Db) => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  const { store } = parts;
  return await inTurn(store, workspaceId, async () => {
    const found = await known(store.db);
    if (found !== undefined) return found;
    return await keepChanges(parts, by, async (tx, noteIn) => {
      await lockAccountOf(tx, workspaceId);
      return await work(tx, (change) => noteIn(workspaceId, change));
    });
  });
}

/** The same for a command that changes several workspaces. */
export async function changeByCommand<T>(
  parts: CommandParts,
  work: (tx: Db, noteIn: NoteChangeIn) => Promise<T>,
): Promise<T> {
  return await keepChanges(parts, commandOf(parts), work);
}

async function keepChanges<T>(
  { store, clock, onChanged }: ChangeParts,
  { actor, sender, keyId }: Omit<Author, 'workspaceId'>,
  work: (tx: Db, noteIn: NoteChangeIn) => Promise<T>,
): Promise<T> {
  const entries: AuditEntry[] = [];
  let shortened: string[] = [];
  const write = async (tx: Db) => {
    entries.length = 0;
    shortened = [];
    const result = await work(tx, (workspaceId, change) => {
      if (changesNothing(change)) return;
      const { action, subject, fields = [], runId, made } = change;
      const { id, name } = subject;
      const more = { ...(runId !== undefined && { runId }), ...(made && { made }) };
      const what = { action, subject: { id, name }, fields, ...more };
      const by = { actor, ...(typeof keyId === 'string' && { keyId }) };
      entries.push({ workspaceId, at: clock.now(), ...by, ...sender, ...what });
    });
    const byWorkspace = Map.groupBy(entries, ({ workspaceId }) => workspaceId);
    let proof: KeptAuditEntry | undefined;
    for (const [workspaceId, own] of byWorkspace) {
      const added = await insertAuditEntries(tx, workspaceId, own);
      proof = added?.last ?? proof;
      shortened.push(...(added?.shortened ?? []));
    }
    return { result, proof };
  };
  // Without an entry nothing was changed, so nothing can be lost.
  const { result } = await writeConfirmed({ store, clock }, write, async (tx, { proof }) =>
    proof === undefined ? true : await isAuditEntryKept(tx, proof),
  );
  if (entries.length > 0) {
    onChanged?.(entries, shortened);
    store.hints.tell(effectsOf(entries));
  }
  return result;
}

/** A command as an author in a workspace. */
export function commandIn(parts: Pick<CommandParts, 'caller'>, workspaceId: string): Author {
  return { ...commandOf(parts), workspaceId };
}

function commandOf({ caller = callerNow() }: Pick<CommandParts, 'caller'>) {
  const actor = { type: 'command' as const, ...caller };
  return { actor, sender: { address: null, forwardedFor: null } };
}
