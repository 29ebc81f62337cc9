/**
 * The database, for commands that use it directly, whether or not a daemon runs. They never make one: an empty database in
 * the wrong directory looks like a working one (docs/decisions/0026-root-and-the-data.md#only-serve-makes-a-database).
 */

import { callerNow, type Caller } from '../../app/operator/caller.ts';
import {
  databaseUrl,
  environmentVariable,
  namedDataDir,
  secretKeys,
} from '../../settings/config.ts';
import type { Environment, Flags, NamedDirectory } from '../../settings/config.ts';
import { ifPossible, JobdError } from '../../domain/errors.ts';
import type { Local, Place } from '../../serve/local-store.ts';
import { withoutPassword } from '../../settings/setting.ts';
import { libpqUrl } from './libpq-url.ts';
import { actAsOwner, type Entered } from './owner.ts';
import { nameOf, noDatabase, type Holding } from './places.ts';
import { isRoot } from './roots-files.ts';
import { findServers } from './running.ts';
import { environmentOfService, findService, type Service } from './service.ts';
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
  const { hasStore, loadDriverOfBundle } = await import('../../serve/local-store.ts');
  loadDriverOfBundle();
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

/** Master keys as the environment has them. */
type SecretKeys = ReturnType<typeof secretKeys>;

/** A data directory that was entered, with the master keys that its environment gives: for root those of the service, in its own. */
type EnteredDirectory<T> = Entered<T> & { keys: SecretKeys };

/**
 * Enters a data directory, with a database in it or not. Every command that opens something there calls this first: from now
 * on, root acts as the owner of the directory (`owner.ts`), who may not read the settings of the service. Throws
 * `invalid_input` for a master key that cannot be read.
 */
export function enterDataDir<T>(
  chosen: Chosen,
  output: Output,
  openFirst?: () => T,
): EnteredDirectory<T> {
  caller();
  if (isOfService(chosen) && chosen.namedBy === null) sayWhere(chosen, output);
  const ofService = isOfService(chosen) ? environmentOfService(chosen.service) : null;
  const keys = secretKeys(ofService?.variables);
  return { ...actAsOwner(chosen.path, openFirst), keys };
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
): Promise<EnteredDirectory<T>> {
  const { hasStore, lostStore, movedStore } = await import('../../serve/local-store.ts');
  const chosen = await chooseDataDir(flags);
  if (!hasStore(chosen.path)) {
    const { service } = chosen;
    const known = service && { ...service, holding: holdingOf(service.dataDir, hasStore) };
    const parts = { service: known, servers: findServers(), uid: process.geteuid?.() };
    throw movedStore(chosen.path) ?? lostStore(chosen.path) ?? noDatabase(chosen, parts);
  }
  if (saysWhere && chosen.namedBy === null && !isOfService(chosen)) sayWhere(chosen, output);
  return enterDataDir(chosen, output, openFirst);
}

/** Where the database of a command is, with what opens it. */
export interface EnteredPlace extends Place {
  keys: SecretKeys;
}

/**
 * Enters the place of the flags or the environment; where they name none, root means the service of this machine. `saysWhere`:
 * also names the directory when it is the user's own default. Throws as `enterStore` does.
 */
export async function enterPlace(
  flags: Flags,
  output: Output,
  saysWhere = false,
): Promise<EnteredPlace> {
  caller();
  const ofService = databaseOfService(flags);
  const database = ofService?.database ?? databaseUrl(flags);
  if (database === null) {
    const { path, keys } = await enterStore(flags, output, undefined, saysWhere);
    return { dataDir: path, database, keys };
  }
  if (ofService !== null) output.say(`database: ${withoutPassword(database)} (of the service)`);
  return { dataDir: '', database, keys: secretKeys(ofService?.env) };
}

/** The database on a server that root means who names none: that of the service, with its environment; null if it has none. */
export function databaseOfService(flags: Flags): { database: string; env: Environment } | null {
  const service = namesNoPlace(flags) && isRoot() ? environmentOfService() : null;
  const database = service && databaseUrl(service.flags, service.variables);
  return service && database !== null ? { database, env: service.variables } : null;
}

/** Whether neither flags nor variables say where the data is. */
export function namesNoPlace(flags: Flags): boolean {
  const isInFlags = flags['data'] !== undefined || flags['database'] !== undefined;
  const isInVariables = ['JOBD_DATA', 'JOBD_DATABASE_URL'].some((name) =>
    environmentVariable(name),
  );
  return !isInFlags && !isInVariables;
}

/** Refuses a command on the file of a database that is on a server. `instead` gets its URL for PostgreSQL's programs. Throws `usage`. */
export function requireFile(flags: Flags, instead: (database: string) => string): void {
  const database = databaseUrl(flags);
  if (database === null) return;
  const sentence = 'the database is on a server, so jobd has no file of it';
  throw new JobdError('usage', sentence, { notes: [instead(libpqUrl(withoutPassword(database)))] });
}

/** Opens the database of a place that was entered. */
export async function openStoreAt({ keys, ...place }: EnteredPlace): Promise<Local> {
  const { openLocal } = await import('../../serve/local-store.ts');
  const local = await openLocal(place, { keys });
  return { ...local, caller: caller() };
}

/** Opens the database of the flags or the environment. Throws as `enterPlace` does. */
export async function openStoreFor(
  flags: Flags,
  output: Output,
  { saysWhere = false } = {},
): Promise<Local> {
  return await openStoreAt(await enterPlace(flags, output, saysWhere));
}

/** Whether root works on the data of the service. */
function isOfService({ path, service }: Chosen): boolean {
  return service?.dataDir === path && isRoot();
}

function sayWhere(chosen: Chosen, output: Output): void {
  output.say(`data directory: ${nameOf(chosen, chosen.service)}`);
}

function holdingOf(directory: string, hasStore: HasStore): Holding {
  return ifPossible(() => (hasStore(directory) ? 'database' : 'nothing')) ?? 'unknown';
}
