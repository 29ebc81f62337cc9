/**
 * Backups of the database: made at any time, restored while no daemon runs.
 *
 * A restore copies the file into the data directory and checks the proof of what it copies: the file may change at any
 * time. SQLite reads only the copy, and only after that check. The previous database is kept under another name.
 */

import { appendFileSync, closeSync, fstatSync, readSync } from 'node:fs';
import { isoTime, type Clock } from '../../domain/clock.ts';
import { JobdError, messageOf } from '../../domain/errors.ts';
import { isProvenBy, parseBackupProof, proofBytes, startBackupProof } from './proof.ts';
import type { BackupProver } from './proof.ts';
import { beginsEncrypted, decrypted, type Encrypt, type Identities } from './age.ts';
import type { MasterKey } from '../../secrets/master-key.ts';
import { availableIds, type MasterKeys } from '../../secrets/master-keys.ts';
import { damageIn } from '../../store/sqlite/connection.ts';
import {
  emptyLogOf,
  endSessionsIn,
  receiveCopy,
  receiveNameless,
  replaceDatabase,
} from './received.ts';
import { bytesAt, bytesOf, copyDatabase, type Target } from '../../store/sqlite/copy.ts';
import type { Received } from './received.ts';
import { checkReceipts, type ReceiptsChecked } from '../../app/operator/receipt-chains.ts';
import { countContents, type Contents } from '../../store/database/contents.ts';
import { checkDatabase } from '../../store/sqlite/inspect.ts';
import { findForeign } from '../../store/sqlite/foreign.ts';
import { lockDataDir } from '../../store/sqlite/lock.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { newestVersion, schemaVersion } from '../../store/database/migrate.ts';
import { hasDatabase, openReader, storePath, type Reader } from '../../store/sqlite/reader.ts';
import { settleDueTimes, type SinceBackup } from './since-backup.ts';

export interface Backup {
  path: string;
  bytes: number;
  isEncrypted: boolean;
  /** Ids of the master keys that its secrets need; the keys are not in it. */
  masterKeys: string[];
  /** Id of the master key that made its proof; null if no such key is available, or the database needs none. */
  provenBy: string | null;
  /** Why a database that needs a master key has no proof, in a sentence; null if there is nothing to say. */
  unprovenBecause: string | null;
  /** What is in it that jobd did not make, in a sentence: a restore refuses it. Null if all is as it should be. */
  foreign: string | null;
  contents: Contents;
}

export interface BackupParts {
  dataDir: string;
  target: Target;
  masterKeys: MasterKeys;
  /** Whether to back up a database without jobs, monitors and keys: mostly it is the wrong one. */
  allowEmpty: boolean;
  /** Encrypts it; by default it is not encrypted. */
  encrypt?: Encrypt | null;
}

/** Writes a backup, with or without a running daemon. Throws `conflict` or `unavailable`. */
export async function makeBackup(parts: BackupParts): Promise<Backup> {
  const { dataDir, target, masterKeys, allowEmpty, encrypt = null } = parts;
  const path = storePath(dataDir);
  await using reader = await openJobd(path);
  if (!allowEmpty) requireSomething(await countContents(reader.db), path);
  let made: Omit<Backup, 'path' | 'bytes'> | undefined;
  const finish = async (draft: string): Promise<void> => {
    await using copy = await openReader(draft);
    const needed = await listMasterKeys(copy.db);
    const contents = await countContents(copy.db);
    const { key, unprovenBecause } = proofKey(needed, masterKeys);
    if (key !== null) appendFileSync(draft, proofOf(draft, key));
    const provenBy = key?.id ?? null;
    const isEncrypted = encrypt !== null;
    const version = await schemaVersion(copy.db);
    const [foreign = null] = version > newestVersion ? [] : await findForeign(copy.db, version);
    made = { isEncrypted, masterKeys: needed, provenBy, unprovenBecause, foreign, contents };
  };
  const bytes = await copyDatabase(reader.db, dataDir, target, { finish, encrypt });
  if (made === undefined) throw new Error('nothing was written');
  return { path: target.path, bytes, ...made };
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
  /** What decrypts an encrypted backup; null if none was given. */
  identities?: Identities | null;
  /** How long its receipts may be checked. */
  receiptsMs?: number;
  /** Called once all checks have passed, before anything is replaced. What it throws ends the restore. */
  confirm: () => Promise<void>;
}

/** A restore that was done. Nothing is known of the time since the backup if its tables are older ones. */
export interface Restored extends SinceBackup {
  /** The path of the previous database; null if there was none. */
  kept: string | null;
  /** Whether its proof shows that the backup is unchanged. */
  verified: boolean;
  /** Ids of the missing master keys: jobd does not start without them. */
  missingKeys: string[];
  /** How much of its receipts was checked. */
  receipts: ReceiptsChecked;
}

/** Long enough for some ten thousand receipts. */
const longestReceiptsMs = 10_000;

/**
 * Replaces the database with a backup, and keeps the previous one, if there is one, under another name, once that is confirmed. Throws, having changed nothing:
 * `conflict` while a daemon runs, `unavailable` if the file is not a backup that this jobd can read, was changed, or its
 * master key is missing.
 */
export async function restoreBackup(source: Source, parts: RestoreParts): Promise<Restored> {
  const { dataDir, clock, masterKeys, withoutKey, unverified, confirm } = parts;
  const { path } = source;
  const identities = requireReadable(source, parts.identities ?? null);
  using locks = new DisposableStack();
  locks.use(lockDataDir(dataDir));
  try {
    const plain = identities === null ? source : await decrypt(source, dataDir, identities);
    if (plain !== source) locks.defer(() => closeSync(plain.descriptor));
    const { received, verified } = receive(plain, parts);
    locks.use(received);
    emptyLogOf(received);
    const { missingKeys, receipts, isOlder } = await inspectReceived(received, path, parts);
    if (missingKeys.length > 0 && !withoutKey) throw missing(missingKeys, masterKeys);
    // No key is missing, so the proof names a key that the backup does not need.
    if (missingKeys.length === 0 && !verified && !unverified) throw wasChanged(path);
    if (hasDatabase(dataDir)) await confirm();
    endSessionsIn(received);
    const since = isOlder ? unsettled : await settleDueTimes(received, dataDir, clock.now());
    emptyLogOf(received);
    const when = isoTime(clock.now()).replace(/[-:]|\.\d+/g, '');
    const kept = replaceDatabase(received, dataDir, `jobd-before-${when}`);
    return { kept, verified, ...since, missingKeys, receipts };
  } catch (error) {
    throw damageIn(error) === null ? error : damaged(path, '', error);
  }
}

/** Throws `unavailable` if the copy must not be restored. Returns what else is known of it. */
async function inspectReceived(
  received: Received,
  path: string,
  { masterKeys, unverified, receiptsMs = longestReceiptsMs }: RestoreParts,
): Promise<Pick<Restored, 'missingKeys' | 'receipts'> & { isOlder: boolean }> {
  await using backup = await openJobd(received.path, path);
  const version = await schemaVersion(backup.db);
  if (version > newestVersion) {
    throw new JobdError('unavailable', `${path} was written by a newer jobd: use that version`);
  }
  const [foreign] = await findForeign(backup.db, version);
  if (foreign !== undefined) throw new JobdError('unavailable', `${path}: ${foreign}`);
  const [damage] = await checkDatabase(backup.db);
  if (damage !== undefined) throw damaged(path, ` (${damage})`);
  // Older versions may lack what is asked for here; the next start brings them up to date.
  const receipts =
    version === newestVersion ? await checkReceipts(backup.db, receiptsMs) : noReceiptsChecked;
  if (receipts.problem !== null && !unverified) throw refused(path, receipts.problem);
  const here = availableIds(masterKeys);
  const missingKeys = (await listMasterKeys(backup.db)).filter((id) => !here.includes(id));
  return { missingKeys, receipts, isOlder: version !== newestVersion };
}

const unsettled: SinceBackup = { runsSince: null, decided: 0, unknown: 0, dropped: 0, inFlight: 0 };
const noReceiptsChecked: ReceiptsChecked = { receipts: 0, checked: 0, problem: null };

/** Refuses other files before anything is copied to where another user may read. Returns what decrypts it; null if nothing has to. */
function requireReadable(
  { path, descriptor, log }: Source,
  identities: Identities | null,
): Identities | null {
  const first = Buffer.alloc(32);
  readSync(descriptor, first, 0, first.length, 0);
  if (first.toString('latin1').startsWith('SQLite format 3\0')) {
    // The size and the number of its pages. A copy of a database in use may have its end in its log.
    const bytes = first.readUInt16BE(16) * first.readUInt32BE(28);
    if (log === null && fstatSync(descriptor).size < bytes) throw damaged(path, '');
    return null;
  }
  const because = (why: string) => new JobdError('unavailable', `${path} cannot be read: ${why}`);
  if (first.readUInt16BE() === 0x1f8b) throw because('it is compressed: gunzip it first');
  if (!beginsEncrypted(first)) throw because('it is not a database');
  if (identities !== null) return identities;
  const remedy = 'name the file with the identity that decrypts it: --identity FILE';
  throw because(`it is encrypted; ${remedy}`);
}

/** Decrypts a backup into the data directory, where nobody finds it by a name. */
async function decrypt(source: Source, dataDir: string, identities: Identities): Promise<Source> {
  const content = decrypted(bytesOf(source.descriptor), identities, source.path);
  const plain = { ...source, descriptor: await receiveNameless(dataDir, content), log: null };
  requireReadable(plain, null);
  return plain;
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
