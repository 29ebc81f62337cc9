/** What use cases act on, by subject. One function per use case in this folder. */

import type { Clock } from '../domain/clock.ts';
import type { Actor, AuditEntry, Sender } from '../domain/accounts/audit.ts';
import type { Permission } from '../domain/accounts/key.ts';
import type { Left } from '../domain/accounts/rate-limiter.ts';
import type { MailRule } from '../domain/alerts/mail-allow.ts';
import type { WokenLoop } from '../domain/hints.ts';
import type { TargetVerdict } from '../domain/targets/verdict.ts';
import type { ReportTokens } from '../domain/runs/report.ts';
import type { Lateness } from '../domain/runs/lateness.ts';
import type { SpaceCause } from '../domain/space.ts';
import type { AllowedTarget } from '../domain/targets/target.ts';
import type { Vault } from '../domain/secrets/vault.ts';
import type { Store } from '../store/database/store.ts';
import type { Events } from './events.ts';
import type { Health } from './operator/health.ts';

/** What every use case acts on. */
export interface Ground {
  store: Store;
  clock: Clock;
}

/** What changes take that people make. */
export interface ChangesApp extends Ground {
  /** Hears what people changed, after it was written. */
  readonly onChanged: (entries: readonly AuditEntry[], shortened?: readonly string[]) => void;
}

/** What wakes the loops of the engine. */
export interface Wakes {
  /** Says that this loop may have work, here or on another node. */
  readonly wake: (loop: WokenLoop) => void;
}

export interface JobsApp extends ChangesApp, Wakes {
  /** Seals and opens what of jobs and channels is kept sealed. */
  vault: Vault;
  allowTargets: readonly AllowedTarget[];
  /** Lets no run of a job begin until it is disposed of (`held-jobs.ts`). */
  readonly holdJob: (jobId: string) => Disposable;
}

export interface RunsApp extends Ground, Wakes {
  vault: Vault;
  /** Reads the ends of report URLs. */
  readonly reportTokens: ReportTokens;
  /** Says to open streams what changed. */
  readonly events: Events;
}

export interface MonitorsApp extends ChangesApp, Wakes {
  readonly events: Events;
}

export interface ChannelsApp extends ChangesApp, Wakes {
  vault: Vault;
  allowTargets: readonly AllowedTarget[];
  /** Whom mail channels may send to; anybody if there are none. */
  mailAllow: readonly MailRule[];
  readonly instance: Pick<Instance, 'mailIsConfigured'>;
  /** How long a workspace has to wait until it may send so many mails, in milliseconds; 0 if it may now. */
  readonly mailWaitMs: (workspaceId: string, mails: number) => Promise<number>;
}

export interface ReceiptsApp extends Ground {
  /** Whether receipts are issued. */
  isSigning: boolean;
  /** Signs what receipts of a job are still to be signed. */
  readonly signReceiptsOf: (jobId: string) => Promise<void>;
  /** The script that checks receipts without jobd, as text. Throws `unavailable` if it was not built. */
  readonly verifyScript: () => Promise<string>;
}

/** Keys and sessions, and whom they stand for. */
export interface AccessApp extends ChangesApp {
  /** Notes that a key or a session is used now, for its `lastUsedAt`. */
  readonly noteUse: (actor: Pick<Actor, 'type' | 'id'>) => void;
  readonly authenticate: Authenticate;
  readonly admissions: Admissions;
}

/** The daemon itself, as operators see it. */
export interface DaemonApp extends Ground {
  /** What is fixed while this process runs. */
  readonly instance: Instance;
  isSigning: boolean;
  /** How late runs begin, over the last hour and all nodes. */
  readonly lateness: () => Promise<Lateness>;
  /** What is wrong with this installation. */
  readonly health: Pick<Health, 'ask' | 'problems'>;
  /** Whether history is removed before its time, and why. */
  readonly space: SpaceState;
  /** Why this process may not serve any more, in a sentence; null if it may. */
  readonly trouble: () => string | null;
}

export interface PagesApp {
  /** A file that they load. Throws `unavailable` if it was not built. */
  readonly pageFile: (name: string) => Promise<Uint8Array>;
}

/** All of it. A use case gets what its subject has, and a wing may get more. */
export interface App
  extends JobsApp, RunsApp, MonitorsApp, ChannelsApp, ReceiptsApp, AccessApp, DaemonApp, PagesApp {
  readonly instance: Instance;
  /** What the address rule says of a URL now. It looks its name up and sends nothing; null if that takes too long. */
  readonly judgeTarget: (url: string) => Promise<TargetVerdict>;
  /** The most calls in flight, in all and to one host. */
  readonly slots: Readonly<Record<'all' | 'perHost', number>>;
}

/** Whether space is short. */
export interface SpaceState {
  readonly causes: () => readonly SpaceCause[];
  /** Whether no history is left to remove. */
  readonly isExhausted: () => boolean;
  /** The largest size of the database, in bytes; null without one. */
  limitBytes: number | null;
}

/** The daemon that runs. */
export interface Instance {
  /** Eight hexadecimal digits, made at the first start. */
  id: string;
  version: string;
  /** In epoch milliseconds. */
  startedAt: number;
  dataDir: string | null;
  mailIsConfigured: boolean;
}

/** On whose behalf a use case acts: what a key or a session stands for. */
export interface Principal {
  actor: Actor;
  /** The key that signed in the session, whose sessions share their limits; null for a key, and for a link of `jobd open`. */
  keyId: string | null;
  sender: Sender;
  /** Whether it may manage keys and sessions. No key may. */
  isOwner: boolean;
  workspaceId: string;
  permission: Permission;
  /** When its account expires, in epoch milliseconds; null if that is never. As of the beginning of the request. */
  accountExpiresAt: number | null;
  /** Whether its workspace has windows. As of the beginning of the request. */
  hasWindows: boolean;
}

/** A principal as far as its key or session says. */
export type Identity = Omit<Principal, 'sender'>;

export interface Authenticate {
  /** Whom a presented key stands for, or undefined. */
  readonly byKey: (secret: string) => Promise<Identity | undefined>;
  /** Whom the secret of a session stands for, or undefined. A use lets the session live on; only looking does not. */
  readonly bySession: (secret: string, how?: { isUse: boolean }) => Promise<Identity | undefined>;
  /** Forgets what is remembered, if these changes are about keys, sessions or windows. */
  readonly onChanged: (entries: readonly Pick<AuditEntry, 'action'>[]) => void;
}

/** Whom a request stands for, and what is left to its key after it. */
export interface Admission {
  asker: Identity;
  left: Left;
}

/** The limit of keys. */
export interface Admissions {
  /** Counts a request that presents a key. Returns undefined, and counts nothing, without a valid one. */
  readonly ask: (secret: string) => Promise<Admission | undefined>;
  /** Counts further requests of a key, one after the other until one is refused. */
  readonly count: (keyId: string, requests: number) => Promise<Left>;
}
