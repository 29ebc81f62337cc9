/** Places in the home directory of a user, who may have none: no HOME and no name, as in a container. */

import { userInfo } from 'node:os';
import { join } from 'node:path';
import { ifPossible } from '../domain/errors.ts';
import type { Environment } from './serve-settings.ts';

/** The data directory of the service that install.sh makes. It is the home of the user `jobd`. */
const serviceHome = '/var/lib/jobd';

/** The home of this user as the system has it; null for a user whom it does not know. */
export function ownHome(): string | null {
  return ifPossible(() => userInfo().homedir) ?? null;
}

/** A path in the home of a user; null if there is none. */
export function inHome(env: Environment, home: string | null, ...parts: string[]): string | null {
  const named = env['HOME'] || home;
  return named ? join(named, ...parts) : null;
}

/**
 * Where data is if nobody names a directory; null for a user who has no home. The user of the service has a place of its own, as in
 * `sudo -u jobd jobd open`, where HOME may be that of another user.
 */
export function usualDataDir(env: Environment, home: string | null): string | null {
  const shared = env['XDG_DATA_HOME'];
  if (shared) return join(shared, 'jobd');
  return home === serviceHome ? home : inHome(env, home, '.local', 'share', 'jobd');
}
