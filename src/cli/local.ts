/**
 * The store, for commands that work on it directly, whether or not a daemon runs. What opens it is loaded
 * only here: a command line stands in shell loops, and its start counts.
 */

import { dataDir, secretKeys } from '../config.ts';
import type { Flags } from '../config.ts';
import type { Local } from '../daemon.ts';
import type { Output } from './output.ts';

/** Opens the store that the flags or the environment name; says so if it had to make one. */
export async function openStoreFor(flags: Flags, output: Output): Promise<Local> {
  const { hasStore, openLocal } = await import('../daemon.ts');
  const directory = dataDir(flags);
  const isNew = !hasStore(directory);
  const local = await openLocal(directory, undefined, secretKeys().current);
  if (isNew) output.say(`made a new store in ${directory}`);
  return local;
}
