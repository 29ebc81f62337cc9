/** Places in the home directory of a user, who may have none: no HOME and no name, as in a container. */

import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** A path in the home of this user; null if there is none. */
export function inHome(env: Environment, ...parts: string[]): string | null {
  try {
    return join(env['HOME'] || homedir(), ...parts);
  } catch {
    return null;
  }
}

/** Where data is if nobody names a directory; null for a user who has no home. */
export function usualDataDir(env: Environment): string | null {
  const shared = env['XDG_DATA_HOME'];
  if (shared) return join(shared, 'jobd');
  return isServiceUser() ? serviceHome : inHome(env, '.local', 'share', 'jobd');
}

/** The data directory of the service that install.sh makes. It is the home of the user `jobd`. */
const serviceHome = '/var/lib/jobd';

/** Whether the user of the service runs this, as in `sudo -u jobd jobd open`. HOME may be that of another user then. */
function isServiceUser(): boolean {
  try {
    return userInfo().homedir === serviceHome;
  } catch {
    return false; // a user that the system does not know
  }
}
