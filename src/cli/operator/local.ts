/**
 * The database, for commands that use it directly, whether or not a daemon runs. They never make one: an empty database in
 * the wrong directory looks like a working one (docs/decisions/0048-only-serve-makes-a-database.md).
 */

import { callerNow } from '../../app/operator/caller.ts';
import type { Caller } from '../../app/operator/caller.ts';
import { databaseUrl, environmentVariable, namedDataDir, secretKeys } from '../../config.ts';
import type { Flags, NamedDirectory } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Local } from '../../local-store.ts';
import { actAsOwner } from './owner.ts';
import type { Entered } from './owner.ts';
import { nameOf, noDatabase } from './places.ts';
import type { Holding } from './places.ts';
import { findServers } from './running.ts';
import { findService } from './service.ts';
import type { Service } from './service.ts';
import type { Output } from '../terminal/output.ts';

/** Known once it was asked for: before root acts as somebody else. */
let knownCaller: Caller | undefined;

function caller(): Caller {
  knownCaller ??= callerNow(environmentVariable('SUDO_USER') || null);
  return knownCaller;
}

/** The data directory of a command. */
export interface Chosen extends NamedDirectory {
  service: Service | null;
}

type HasStore = (directory: string) => boolean;

/**
 * Chooses the data directory: of the flags or the environment. Where they name none, root means the service of this machine;
 * if root has a database of its own, too, it has to say which. Throws `conflict`.
 */
export async function chooseDataDir(flags: Flags): Promise<Chosen> {
  const { hasStore } = await import('../../local-store.ts');
  const directory = namedDataDir(flags);
  const service = findService();
  const chosen = { ...directory, service };
  if (directory.namedBy !== null || service === null || !isRoot()) return chosen;
  if (service.dataDir === directory.path || !hasStore(directory.path)) {
    return { ...chosen, path: service.dataDir };
  }
  if (!hasStore(service.dataDir)) return chosen;
  throw new JobdError('conflict', 'there are two databases, so say which: add --data DIR', {
    notes: [nameOf(directory), nameOf({ ...directory, path: service.dataDir }, service)],
  });
}

/**
 * Enters a data directory, with a database in it or not. Every command that opens something there calls this first: from now
 * on, root acts as the owner of the directory (`owner.ts`).
 */
export function enterDataDir<T>(chosen: Chosen, output: Output, openFirst?: () => T): Entered<T> {
  caller();
  if (isForService(chosen)) sayWhere(chosen, output);
  return actAsOwner(chosen.path, openFirst);
}

/**
 * Enters the data directory of the flags or the environment. Throws `not_found` if there is no database, naming the places
 * where one may be, and `unavailable` if this user may not look.
 */
export async function enterStore<T>(
  flags: Flags,
  output: Output,
  openFirst?: () => T,
  saysWhere = false,
): Promise<Entered<T>> {
  const { hasStore, lostStore } = await import('../../local-store.ts');
  const chosen = await chooseDataDir(flags);
  if (!hasStore(chosen.path)) {
    const { service } = chosen;
    const known = service && { ...service, holding: holdingOf(service.dataDir, hasStore) };
    const parts = { service: known, servers: findServers(), uid: process.geteuid?.() };
    throw lostStore(chosen.path) ?? noDatabase(chosen, parts);
  }
  if (saysWhere && chosen.namedBy === null && !isForService(chosen)) sayWhere(chosen, output);
  return enterDataDir(chosen, output, openFirst);
}

/** Opens the database of a directory that was entered. */
export async function openStoreIn({ path }: Pick<Entered<unknown>, 'path'>): Promise<Local> {
  const { openLocal } = await import('../../local-store.ts');
  const local = await openLocal({ dataDir: path, database: null }, undefined, secretKeys().current);
  return { ...local, caller: caller() };
}

/**
 * Opens the database of the flags or the environment. `saysWhere`: also names the directory when it is the user's own default.
 * Throws as `enterStore` does.
 */
export async function openStoreFor(
  flags: Flags,
  output: Output,
  { saysWhere = false } = {},
): Promise<Local> {
  const database = databaseUrl(flags);
  if (database === null) {
    return await openStoreIn(await enterStore(flags, output, undefined, saysWhere));
  }
  const { openLocal } = await import('../../local-store.ts');
  const local = await openLocal({ dataDir: '', database }, undefined, secretKeys().current);
  return { ...local, caller: caller() };
}

/** Whether root works for the service although nothing on the command line says so. */
function isForService({ path, namedBy, service }: Chosen): boolean {
  return namedBy === null && service?.dataDir === path && isRoot();
}

function sayWhere(chosen: Chosen, output: Output): void {
  output.say(`data directory: ${nameOf(chosen, chosen.service)}`);
}

function holdingOf(directory: string, hasStore: HasStore): Holding {
  try {
    return hasStore(directory) ? 'database' : 'nothing';
  } catch {
    return 'unknown';
  }
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
