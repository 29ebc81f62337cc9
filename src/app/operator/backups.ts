/** Backups of the database: made at any time, put back while no daemon runs. */

import { appendFileSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isoTime } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { ifOpens } from '../../domain/secrets/vault.ts';
import {
  isProvenBy,
  parseBackupProof,
  proofBytes,
  startBackupProof,
} from '../../secrets/backup-proof.ts';
import type { BackupProver } from '../../secrets/backup-proof.ts';
import type { MasterKey } from '../../secrets/master-key.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import { isDamage } from '../../store/database/connection.ts';
import {
  bytesOf,
  copyDatabase,
  emptyLogOf,
  receiveCopy,
  replaceDatabase,
} from '../../store/database/backup.ts';
import type { Received, Target } from '../../store/database/backup.ts';
import { checkDatabase } from '../../store/database/inspect.ts';
import { findForeign } from '../../store/database/foreign.ts';
import { lockDataDir } from '../../store/database/lock.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { newestVersion, schemaVersion } from '../../store/database/migrate.ts';
import { hasDatabase, openReader, storePath } from '../../store/database/open.ts';
import type { Db, Reader } from '../../store/database/open.ts';

/** A backup that was made. */
export interface Backup {
  path: string;
  bytes: number;
  /** Ids of the master keys without which what is sealed in it cannot be read; the keys are not in it. */
  masterKeys: string[];
  /** The id of the master key that proves that nobody changed it; null if none is here, or the database has none. */
  provenBy: string | null;
}

/** Writes a backup while a daemon works, or without one. Throws `conflict`, `not_found` or `unavailable`. */
export async function makeBackup(
  dataDir: string,
  target: Target,
  masterKeys: MasterKeys,
): Promise<Backup> {
  const path = storePath(dataDir);
  if (!hasDatabase(dataDir)) throw new JobdError('not_found', `${path} is not there`);
  await using reader = await openJobd(path);
  let made: Omit<Backup, 'path'> | undefined;
  await copyDatabase(reader.db, dataDir, target, async (draft) => {
    await using copy = await openReader(draft);
    const needed = await masterKeysOf(copy.db);
    // A backup without a proof is better than none.
    const key = ifOpens(() => masterKeys.read())?.find(({ id }) => needed.includes(id));
    if (key !== undefined) appendFileSync(draft, proofOf(draft, key));
    const { size } = statSync(draft);
    made = { bytes: size, masterKeys: needed, provenBy: key?.id ?? null };
  });
  if (made === undefined) throw new Error('nothing was written');
  return { path: target.path, ...made };
}

function proofOf(path: string, key: MasterKey): string {
  const proof = startBackupProof(key);
  const descriptor = openSync(path, 'r');
  try {
    for (const bytes of bytesOf(descriptor)) proof.add(bytes);
  } finally {
    closeSync(descriptor);
  }
  return proof.line();
}

/** A backup that is open. */
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
  /** Whether to go on where the master key of the backup is not there. */
  withoutKey: boolean;
  /** Whether to go on where nothing proves that the backup was not changed. */
  unverified: boolean;
}

/** What was put back. */
export interface Restored {
  /** Where the previous database is now; null if there was none. */
  kept: string | null;
  /** Whether it is proven that the backup is as it was made. */
  verified: boolean;
  /** Ids of the master keys that it needs and that are not there: jobd does not start without them. */
  missingKeys: string[];
}

/**
 * Puts a backup in the place of the database, which is kept under another name. Throws, having changed
 * nothing: `conflict` while a daemon runs, `unavailable` if the file is no backup that this jobd
 * can read, was changed, or its master key is not there.
 */
export async function restoreBackup(source: Source, parts: RestoreParts): Promise<Restored> {
  const { dataDir, clock, masterKeys, withoutKey } = parts;
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
    // All its keys are here, so it was the proof that named another one.
    if (missingKeys.length === 0 && !verified && !parts.unverified) throw wasChanged(path);
    const when = isoTime(clock.now()).replace(/[-:]|\.\d+/g, '');
    const kept = replaceDatabase(received, dataDir, `jobd-before-${when}`);
    return { kept, verified, missingKeys };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const sentence = `${path} is damaged: it was not restored, nothing was changed`;
    throw new JobdError('unavailable', sentence, { cause: error });
  }
}

/** Throws `unavailable` if it is nothing to put back. Returns the ids of the master keys that it needs and that are not there. */
async function inspectReceived(
  received: Received,
  path: string,
  masterKeys: MasterKeys,
): Promise<string[]> {
  await using backup = await openJobd(received.path, path);
  const version = await schemaVersion(backup.db);
  if (version > newestVersion) {
    throw new JobdError('unavailable', `${path} was written by a newer jobd: run that one`);
  }
  const [foreign] = await findForeign(backup.db, version);
  if (foreign !== undefined) throw new JobdError('unavailable', `${path}: ${foreign}`);
  const [damage] = await checkDatabase(backup.db);
  if (damage !== undefined) {
    const sentence = `${path} is damaged: it was not restored, nothing was changed (${damage})`;
    throw new JobdError('unavailable', sentence);
  }
  const here = new Set(masterKeys.read().map(({ id }) => id));
  return (await masterKeysOf(backup.db)).filter((id) => !here.has(id));
}

/** Nothing that is no database is copied to where another user may read it. */
function requireDatabase({ path, descriptor }: Source): void {
  const first = Buffer.alloc(16);
  readSync(descriptor, first, 0, first.length, 0);
  if (first.toString('latin1') === 'SQLite format 3\0') return;
  throw new JobdError('unavailable', `${path} cannot be read: it is not a database`);
}

/** Copies a backup into the data directory, and judges its proof on the way: the file may change meanwhile. */
function receive(
  { path, descriptor, log }: Source,
  { dataDir, masterKeys, withoutKey, unverified }: RestoreParts,
): { received: Received; verified: boolean } {
  const { size } = fstatSync(descriptor);
  const end = Buffer.alloc(proofBytes);
  readSync(descriptor, end, 0, proofBytes, Math.max(size - proofBytes, 0));
  const proof = parseBackupProof(end);
  if (proof === null) {
    if (!unverified) throw refused(path, 'nothing proves that this backup is as jobd made it');
    const logBytes = log === null ? null : bytesOf(log);
    return { received: receiveCopy(dataDir, bytesOf(descriptor), logBytes), verified: false };
  }
  const key = masterKeys.read().find(({ id }) => id === proof.keyId);
  if (key === undefined && !withoutKey) throw missing([proof.keyId], masterKeys);
  const prover = key && startBackupProof(key);
  const content = bytesOf(descriptor, size - proofBytes);
  // A log beside it is none of jobd's: a backup has none.
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

function wasChanged(path: string): JobdError {
  return refused(path, 'this backup was changed or damaged since it was made');
}

function refused(path: string, why: string): JobdError {
  return new JobdError(
    'unavailable',
    `${path} is not put back: ${why}; if you trust it all the same, use --unverified`,
  );
}

/** Opens a database of jobd, whatever its version; people know it as `name`. Throws `unavailable`. */
async function openJobd(path: string, name = path): Promise<Reader> {
  const reader = await openReader(path, name);
  if ((await schemaVersion(reader.db)) > 0) return reader;
  await reader[Symbol.asyncDispose]();
  throw new JobdError('unavailable', `${name} cannot be read: it is not a database of jobd`);
}

async function masterKeysOf(db: Db): Promise<string[]> {
  return (await listMasterKeys(db)).map(({ keyId }) => keyId);
}

function missing(keyIds: readonly string[], masterKeys: MasterKeys): JobdError {
  return new JobdError(
    'unavailable',
    `this backup needs the master key ${keyIds.join(' and ')}, which is not in ${masterKeys.name}: ${wayIn(masterKeys)}; ` +
      'if it is lost, --without-key restores everything but headers, bodies, channel configs and the signing key',
  );
}

/** How a key comes to where keys are read from. */
function wayIn({ name, isFile }: MasterKeys): string {
  return isFile
    ? `add that key as a further line of ${name} (keep a line that is there: the present database needs it)`
    : `set ${name} to it for this command`;
}
