/**
 * When a data directory was last served: the time of the file `serve.alive`, which a process that serves sets again and again. A
 * kill, a crash and a full disk leave it as it is, and it costs no write of the database
 * (docs/decisions/0103-what-happened.md#0103).
 */

import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const pathIn = (dataDir: string): string => join(dataDir, 'serve.alive');

/** When it was, in epoch milliseconds; null if that is not known. */
export function lastSign(dataDir: string): number | null {
  const found = statSync(pathIn(dataDir), { throwIfNoEntry: false });
  return found === undefined ? null : Math.round(found.mtimeMs);
}

/** Notes that it is served at `now`, in epoch milliseconds. Where that is refused, nothing is known later. */
export function leaveSign(dataDir: string, now: number): void {
  const path = pathIn(dataDir);
  const set = (): void => utimesSync(path, now / 1_000, now / 1_000);
  try {
    set();
  } catch {
    // There is none yet, or it is another user's.
    try {
      rmSync(path, { force: true });
      writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
      set();
    } catch {}
  }
}
