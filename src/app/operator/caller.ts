/** Who runs a command: the audit trail names this user. */

import { userInfo } from 'node:os';
import type { Actor } from '../../domain/accounts/audit.ts';

/** The user who runs a command. `id` is the name of the user, `name` says more for people. */
export type Caller = Pick<Actor, 'id' | 'name'>;

/** The user that this process acts as now, or the one who called sudo, if it is named. */
export function callerNow(sudoUser: string | null = null): Caller {
  if (sudoUser !== null) return { id: sudoUser, name: `${sudoUser} (sudo)` };
  const user = userName();
  return { id: user, name: user };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
