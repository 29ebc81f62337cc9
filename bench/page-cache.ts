/** What the system keeps of a file in memory. */

import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Lets the system forget a file, so that the next to use it reads it from the disk, as after a start of the machine. Of an
 * executable that was just written it keeps larger pieces, and maps up to 17 MB more of it into a process.
 */
export function forgetFile(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
  const { status, error } = spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0']);
  if (status !== 0) throw error ?? new Error(`dd could not let the system forget ${path}`);
}
