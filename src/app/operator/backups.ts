/**
 * Backups of the database: made at any time, restored while no daemon runs.
 *
 * A restore copies the file into the data directory and checks the proof of what it copies: the file may change at any
 * time. SQLite reads only the copy, and only after that check. The previous database is kept under another name.
 */

import { appendFileSync, fstatSync, readSync, statSync } from 'node:fs';
import { isoTime } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { JobdError, messageOf } from '../../domain/errors.ts';
import {
  isProvenBy,
  parseBackupProof,
  proofBytes,
  startBackupProof,
} from '../../secrets/backup-proof.ts';
import type { BackupProver } from '../../secrets/backup-proof.ts';
import type { MasterKey } from '../../secrets/master-key.ts';
import { availableIds } from '../../secrets/master-keys.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import { isDamage } from '../../store/sqlite/connection.ts';
import {
  bytesAt,
  bytesOf,
  copyDatabase,
  emptyLogOf,
  endSessionsIn,
  receiveCopy,
  replaceDatabase,
} from '../../store/sqlite/backup.ts';
import type { Received, Target } from '../../store/sqlite/backup.ts';
import { countContents } from '../../store/database/contents.ts';
import type { Contents } from '../../store/database/contents.ts';
import { checkDatabase } from '../../store/sqlite/inspect.ts';
import { findForeign } from '../../store/sqlite/foreign.ts';
import { lockDataDir } from '../../store/sqlite/lock.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { newestVersion, schemaVersion } from '../../store/database/migrate.ts';
import { openReader, storePath } from '../../store/sqlite/open.ts';
import type { Reader } from '../../store/sqlite/open.ts';

/** A backup that was made. */
export interface Backup {
  path: string;
  bytes: number;
  /** Ids of the master keys that its secrets need; the keys are not in it. */
  masterKeys: string[];
  /** Id of the master key that made its proof; null if no such key is available, or the database needs none. */
  provenBy: string | null;
  /** Why a database that needs a master key has no proof, in a sentence; null if there is nothing to say. */
  unprovenBecause: string | null;
  contents: Contents;
}

/** A backup to make. */
export interface BackupParts {
  dataDir: string;
  target: Target;
  masterKeys: MasterKeys;
  /** Whether to back up a database without jobs, monitors and keys: mostly it is the wrong one. */
  allowEmpty: boolean;
}

/** Writes a backup, with or without a running daemon. Throws `conflict` or `unavailable`. */
export async function makeBackup(parts: BackupParts): Promise<Backup> {
  const { dataDir, target, masterKeys, allowEmpty } = parts;
  const path = storePath(dataDir);
  await using reader = await openJobd(path);
  if (!allowEmpty) requireSomething(await countContents(reader.db), path);
  let made: Omit<Backup, 'path'> | undefined;
  await copyDatabase(reader.db, dataDir, target, async (draft) => {
    await using copy = await openReader(draft);
    const needed = await listMasterKeys(copy.db);
    const contents = await countContents(copy.db);
    const { key, unprovenBecause } = proofKey(needed, masterKeys);
    if (key !== null) appendFileSync(draft, proofOf(draft, key));
    const { size } = statSync(draft);
    const provenBy = key?.id ?? null;
    made = { bytes: size, masterKeys: needed, provenBy, unprovenBecause, contents };
  });
  if (made === undefined) throw new Error('nothing was written');
  return { path: target.path, ...made };
}

function requireSomething({ jobs, monitors, keys }: Contents, path: string): void {
  if (jobs + monitors + keys > 0) return;
  throw new JobdError('conflict', `${path} has no jobs, monitors or keys: nothing was backed up`, {
    notes: ['name another database: --data DIR', 'back it up anyway: --allow-empty'],
  });
}

/** The key to prove a backup with. A backup without a proof is better than none. */
function proofKey(
  needed: readonly string[],
  masterKeys: MasterKeys,
): { key: MasterKey | null; unprovenBecause: string | null } {
  if (needed.length === 0) return { key: null, unprovenBecause: null };
  try {
    const key = masterKeys.read().find(({ id }) => needed.includes(id)) ?? null;
    const absent = `the master key ${needed.join(' and ')} is not in ${masterKeys.name}`;
    return { key, unprovenBecause: key === null ? absent : null };
  } catch (error) {
    return { key: null, unprovenBecause: messageOf(error) };
  }
}

function proofOf(path: string, key: MasterKey): string {
  const proof = startBackupProof(key);
  for (const bytes of bytesAt(path)) proof.add(bytes);
  return proof.line();
}

/** An open backup. */
export interface Source {
  path: string;
  descriptor: number;
  /** The write-ahead log beside it, which a copy of a database in use has; null if there is none. */
  log: number | null;
}

export interface RestoreParts {
  dataDir: string;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Whether to restore although the master key of the backup is missing. */
  withoutKey: boolean;
  /** Whether to restore although nothing proves that the backup is unchanged. */
  unverified: boolean;
  /** Called once all checks have passed, before anything is replaced. What it throws ends the restore. */
  confirm: () => Promise<void>;
}

/** A restore that was done. */
export interface Restored {
  /** The path of the previous database; null if there was none. */
  kept: string | null;
  /** Whether its proof shows that the backup is unchanged. */
  verified: boolean;
  /** Ids of the missing master keys: jobd does not start without them. */
  missingKeys: string[];
}

/**
 * Replaces the database with a backup, and keeps the previous one under another name. Throws, having changed nothing:
 * `conflict` while a daemon runs, `unavailable` if the file is not a backup that this jobd can read, was changed, or its
 * master key is missing.
 */
export async function restoreBackup(source: Source, parts: RestoreParts): Promise<Restored> {
  const { dataDir, clock, masterKeys, withoutKey, unverified, confirm } = parts;
  const { path } = source;
  requireDatabase(source);
  using locks = new DisposableStack();
  locks.use(lockDataDir(dataDir));
  try {
    const { received, verified } = receive(source, parts);
    locks.use(received);
    emptyLogOf(received);
    const missingKeys = await inspectReceived(received, path, masterKeys);
    if (missingKeys.length > 0 && !withoutKey) throw missing(missingKeys, masterKeys);
    // No key is missing, so the proof names a key that the backup does not need.
    if (missingKeys.length === 0 && !verified && !unverified) throw wasChanged(path);
    await confirm();
    endSessionsIn(received);
    const when = isoTime(clock.now()).replace(/[-:]|\.\d+/g, '');
    const kept = replaceDatabase(received, dataDir, `jobd-before-${when}`);
    return { kept, verified, missingKeys };
  } catch (error) {
    throw isDamage(error) ? damaged(path, '', error) : error;
  }
}

/** Throws `unavailable` if the copy must not be restored. Returns the ids of its missing master keys. */
async function inspectReceived(
  received: Received,
  path: string,
  masterKeys: MasterKeys,
): Promise<string[]> {
  await using backup = await openJobd(received.path, path);
  const version = await schemaVersion(backup.db);
  if (version > newestVersion) {
    throw new JobdError('unavailable', `${path} was written by a newer jobd: use that version`);
  }
  const [foreign] = await findForeign(backup.db, version);
  if (foreign !== undefined) throw new JobdError('unavailable', `${path}: ${foreign}`);
  const [damage] = await checkDatabase(backup.db);
  if (damage !== undefined) throw damaged(path, ` (${damage})`);
  const here = availableIds(masterKeys);
  return (await listMasterKeys(backup.db)).filter((id) => !here.includes(id));
}

/** Refuses other files before anything is copied to a directory that another user may read. */
function requireDatabase({ path, descriptor }: Source): void {
  const first = Buffer.alloc(16);
  readSync(descriptor, first, 0, first.length, 0);
  if (first.toString('latin1') === 'SQLite format 3\0') return;
  throw new JobdError('unavailable', `${path} cannot be read: it is not a database`);
}

/** Copies a backup into the data directory and checks the proof of the copied bytes. */
function receive(
  { path, descriptor, log }: Source,
  { dataDir, masterKeys, withoutKey, unverified }: RestoreParts,
): { received: Received; verified: boolean } {
  const { size } = fstatSync(descriptor);
  const end = Buffer.alloc(proofBytes);
  readSync(descriptor, end, 0, proofBytes, Math.max(size - proofBytes, 0));
  const proof = parseBackupProof(end);
  if (proof === null) {
    if (!unverified) throw refused(path, 'nothing proves that this backup is unchanged');
    const logBytes = log === null ? null : bytesOf(log);
    return { received: receiveCopy(dataDir, bytesOf(descriptor), logBytes), verified: false };
  }
  const key = masterKeys.read().find(({ id }) => id === proof.keyId);
  if (key === undefined && !withoutKey) throw missing([proof.keyId], masterKeys);
  const prover = key && startBackupProof(key);
  const content = bytesOf(descriptor, size - proofBytes);
  // A backup has no log: one beside it is not from jobd.
  const received = receiveCopy(dataDir, provedBytes(content, prover), null);
  const verified = prover !== undefined && isProvenBy(proof, prover.line());
  if (verified || key === undefined || unverified) return { received, verified };
  received[Symbol.dispose]();
  throw wasChanged(path);
}

function* provedBytes(
  chunks: Iterable<Uint8Array>,
  prover: BackupProver | undefined,
): Generator<Uint8Array> {
  for (const bytes of chunks) {
    prover?.add(bytes);
    yield bytes;
  }
}

/** Opens a database of jobd, whatever its version; messages call it `name`. Throws `unavailable`. */
async function openJobd(path: string, name = path): Promise<Reader> {
  const reader = await openReader(path, name);
  if ((await schemaVersion(reader.db)) > 0) return reader;
  await reader[Symbol.asyncDispose]();
  throw new JobdError('unavailable', `${name} cannot be read: it is not a database of jobd`);
}

function wasChanged(path: string): JobdError {
  return refused(path, 'this backup was changed or damaged since it was made');
}

function refused(path: string, why: string): JobdError {
  const message = `${path} was not restored: ${why}; if you trust it anyway, use --unverified`;
  return new JobdError('unavailable', message);
}

function damaged(path: string, detail: string, cause?: unknown): JobdError {
  const message = `${path} is damaged: it was not restored, nothing was changed${detail}`;
  return new JobdError('unavailable', message, { cause });
}

function missing(keyIds: readonly string[], { name, isFile }: MasterKeys): JobdError {
  const remedy = isFile
    ? `add that key to ${name} on a line of its own (keep any line that is there: the present database needs it)`
    : `set ${name} to it for this command`;
  return new JobdError(
    'unavailable',
    `this backup needs the master key ${keyIds.join(' and ')}, which is not in ${name}: ${remedy}; ` +
      'if it is lost, --without-key restores everything except headers, bodies, channel configs and the signing key',
  );
}
