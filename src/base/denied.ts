/** The error for what the system refuses in a data directory, with a remedy that this user can follow. */

import { statSync } from 'node:fs';
import { ifPossible, JobdError, systemCode } from '../domain/errors.ts';

/** Whether the system refuses this user, or everybody. */
export function isDenial(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error));
}

/** Root acts as the owner of the directory, to whom a file of another user may be closed. */
export function denied(what: string, dataDir: string, cause: unknown, file?: string): JobdError {
  if (systemCode(cause) === 'EROFS') {
    const words = 'its file system can only be read: mount it so that jobd can write';
    return new JobdError('unavailable', `${what}: ${words}`, { cause });
  }
  if (file !== undefined && isOwner(dataDir)) {
    const remedy = isOwner(file)
      ? `let its owner read and write the file: chmod u+rw ${file}`
      : `give the file to the owner of its directory: chown --reference=${dataDir} ${file}`;
    return new JobdError('unavailable', `${what}: permission denied; ${remedy}`, { cause });
  }
  const remedy = `use sudo, which acts as the owner: sudo jobd … --data ${dataDir}`;
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  return new JobdError('unavailable', `${what}: permission denied; ${remedy}`, {
    cause,
    // On the host it has another path.
    notes: [`in a container: chown -R ${uid}:${gid}, as root, the directory that is mounted there`],
  });
}

function isOwner(path: string): boolean {
  return ifPossible(() => statSync(path).uid === process.geteuid?.()) ?? false;
}
