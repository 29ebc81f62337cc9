/**
 * The store, for commands that work on it directly, whether or not a daemon runs. What opens it is loaded
 * only here: a command line stands in shell loops, and its start counts.
 */

import { dataDir, secretKeys } from '../../config.ts';
import type { Flags } from '../../config.ts';
import type { Local } from '../../local-store.ts';
import { actAsOwner } from './owner.ts';
import type { Entered } from './owner.ts';
import type { Output } from '../terminal/output.ts';

/**
 * The data directory that the flags or the environment name. Every command that opens something there asks for it here: root
 * acts as its owner from now on (`owner.ts`).
 */
export function enterDataDir<T>(flags: Flags, openFirst?: () => T): Entered<T> {
  return actAsOwner(dataDir(flags), openFirst);
}

/** Opens the store that the flags or the environment name; says so if it had to make one. */
export async function openStoreFor(flags: Flags, output: Output): Promise<Local> {
  const { hasStore, openLocal } = await import('../../local-store.ts');
  const { path: directory } = enterDataDir(flags);
  const isNew = !hasStore(directory);
  const local = await openLocal(directory, undefined, secretKeys().current);
  if (isNew) output.say(`made a new store in ${directory}`);
  return local;
}
