/** The audit trail (docs/behavior.md#audit-1): who changed what, when, and from where. It never holds a value. */

/** What can act: an API key, a session in a browser, or a command that opens the data directory. */
export const actorTypes = ['key', 'session', 'command'] as const;

export interface Actor {
  type: (typeof actorTypes)[number];
  /** The id of the key or session; for a command, the user of the operating system. */
  id: string;
  /** A label for people. */
  name: string;
}

/** Where a request came from. */
export interface Sender {
  /** The address of the connection, or of the client that a trusted proxy names; null for a command. */
  address: string | null;
  /** The last address of X-Forwarded-For, if no trusted proxy wrote it: a claim, which anybody who reaches jobd directly can make. */
  forwardedFor: string | null;
}

/** Everything that an entry can say happened. What is before the point is the type of its subject. */
export const auditActions = [
  'job.create',
  'job.update',
  'job.pause',
  'job.resume',
  'job.delete',
  'job.run',
  'job.replay',
  'job.report',
  'monitor.create',
  'monitor.update',
  'monitor.pause',
  'monitor.resume',
  'monitor.delete',
  'channel.create',
  'channel.update',
  'channel.delete',
  'channel.test',
  'window.create',
  'window.update',
  'window.end',
  'window.delete',
  'badge.create',
  'badge.delete',
  'key.create',
  'key.revoke',
  'session.start',
  'session.end',
  'workspace.create',
  'account.update',
  'callkey.rotate',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What people may filter by: a type of subject, or an action. */
export const auditActionWords: readonly string[] = [
  ...new Set(auditActions.map((action) => action.split('.', 1)[0] ?? '')),
  ...auditActions,
];

/** What was changed, without any value. */
export interface Change {
  action: AuditAction;
  subject: { id: string; name: string };
  /** The names of the fields that an update changed. */
  fields?: readonly string[];
  /** The run that was asked for or ended. */
  runId?: string;
  /** The ids of all that was created at once; left out for one. `subject` is the first of all that its request creates. */
  made?: readonly string[];
}

export interface AuditEntry extends Sender {
  workspaceId: string;
  /** In epoch milliseconds; of the first one, if it stands for several. */
  at: number;
  actor: Actor;
  /** The key of a session of one: their entries push out each other. Left out for any other actor, who stands alone. */
  keyId?: string;
  action: AuditAction;
  subject: { id: string; name: string };
  /** Empty unless the action is an update. */
  fields: readonly string[];
  /** The run that was asked for or ended; left out for any other action. */
  runId?: string;
  /** See `Change`. Only their number is kept. */
  made?: readonly string[];
}

/** A change of an account has an entry in each of its oldest workspaces, up to this many. */
export const workspacesTold = 100;

/**
 * What a workspace keeps: entries of the last `days`. Beyond `entries` of an actor, a new one pushes out the oldest of this actor if
 * that is older than `youngDays`; beyond `mostEntries`, one of any age, but never the first `firstOfDay` of a day before
 * they are that old. So a flood of changes hides neither what others did, nor what its actor did before it.
 */
export const auditRetention = {
  entries: 100_000,
  mostEntries: 1_000_000,
  firstOfDay: 1_000,
  youngDays: 30,
  days: 400,
} as const;

/** Equal updates within this time are one entry, with their number, and so are jobs that one request creates. */
const foldedMs = 60_000;

/** An entry as it is kept. In a workspace the numbers grow by one, so that a removed entry shows. */
export interface KeptAuditEntry extends AuditEntry {
  number: number;
  /** How many equal updates within a minute it stands for, or how many created jobs. */
  count: number;
}

/** Whether an entry may be another one of an earlier entry. */
export function mayFold({ action, made }: Pick<AuditEntry, 'action' | 'made'>): boolean {
  return action.endsWith('.update') || made !== undefined;
}

/** Whether an entry is only another one of an earlier one. */
export function isFolded(kept: AuditEntry, entry: AuditEntry): boolean {
  const passedMs = entry.at - kept.at;
  return (
    mayFold(entry) &&
    kept.action === entry.action &&
    passedMs >= 0 &&
    passedMs < foldedMs &&
    kept.actor.type === entry.actor.type &&
    kept.actor.id === entry.actor.id &&
    kept.address === entry.address &&
    kept.forwardedFor === entry.forwardedFor &&
    kept.subject.id === entry.subject.id &&
    kept.subject.name === entry.subject.name &&
    kept.fields.join(' ') === entry.fields.join(' ')
  );
}

/** Whether a change is an update that leaves every field as it is. */
export function changesNothing({ action, fields = [] }: Change): boolean {
  return action.endsWith('.update') && fields.length === 0;
}

/** The update of a job or monitor: a pause or resumption if nothing else changed. */
export function updateOf(
  type: 'job' | 'monitor',
  { id, name, paused }: { id: string; name: string; paused: boolean },
  fields: readonly string[],
): Change {
  const subject = { id, name };
  const isOnlyPaused = fields.length === 1 && fields[0] === 'paused';
  if (!isOnlyPaused) return { action: `${type}.update`, subject, fields };
  return { action: paused ? `${type}.pause` : `${type}.resume`, subject };
}
