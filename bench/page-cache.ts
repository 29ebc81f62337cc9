/** What the system keeps of a file in memory. */

import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Lets the system forget a file, so that the next to use it reads it from the disk, as after a start of the machine. Of an
 * executable that was just written it keeps larger pieces, and maps up to 17 MB more of it into a process. What another process
 * runs at the time is kept. Needs GNU dd.
 */
export function forgetFile(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
  const asked = [`if=${path}`, 'iflag=nocache', 'count=0'];
  const { status, stderr, error } = spawnSync('dd', asked, { encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`dd cannot let the system forget ${path}: ${stderr}`);
}
