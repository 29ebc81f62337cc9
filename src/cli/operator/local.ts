/** The database, for commands that use it directly, whether or not a daemon runs. */

import { callerNow } from '../../app/operator/caller.ts';
import type { Caller } from '../../app/operator/caller.ts';
import { dataDir, environmentVariable, secretKeys } from '../../config.ts';
import type { Flags } from '../../config.ts';
import type { Local } from '../../local-store.ts';
import { actAsOwner } from './owner.ts';
import type { Entered } from './owner.ts';
import type { Output } from '../terminal/output.ts';

/** Known once it was asked for: before root acts as somebody else. */
let knownCaller: Caller | undefined;

function caller(): Caller {
  knownCaller ??= callerNow(environmentVariable('SUDO_USER') || null);
  return knownCaller;
}

/**
 * Returns the data directory of the flags or the environment. Every command that opens something there calls this first:
 * from now on, root acts as the owner of the directory (`owner.ts`).
 */
export function enterDataDir<T>(flags: Flags, openFirst?: () => T): Entered<T> {
  caller();
  return actAsOwner(dataDir(flags), openFirst);
}

/** Opens the database of the flags or the environment, and reports when it is new. */
export async function openStoreFor(flags: Flags, output: Output): Promise<Local> {
  const { hasStore, openLocal } = await import('../../local-store.ts');
  const { path: directory } = enterDataDir(flags);
  const isNew = !hasStore(directory);
  const local = await openLocal(directory, undefined, secretKeys().current);
  if (isNew) output.say(`created a new database in ${directory}`);
  return { ...local, caller: caller() };
}
