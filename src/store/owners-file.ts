/** Files that only their owner can read. */

import * as fs from 'node:fs';

/** A user and a group, by number. */
export interface Owner {
  uid: number;
  gid: number;
}

/** Whom the files of a data directory belong to: a service must be able to open what root makes for it. */
export function ownerOf(dataDir: string): Owner {
  return fs.statSync(dataDir);
}

/**
 * Makes an empty file. Only root can give it to somebody else; whoever is not, keeps it. Throws EEXIST if there is
 * one, or a link, of this name.
 */
export function makeOwnersFile(path: string, owner?: Owner): void {
  const descriptor = fs.openSync(path, 'wx', 0o600);
  try {
    if (owner !== undefined && process.geteuid?.() === 0) {
      fs.fchownSync(descriptor, owner.uid, owner.gid);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}
