/** A data directory whose database is gone: what an earlier one left beside it tells that apart from a new directory. */

import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { JobdError } from '../../domain/errors.ts';
import { databasesOpenIn, hasOpen, namesIn, type OpenFile } from './in-place.ts';
import { whoLocks } from './lock.ts';
import { reservePath } from './reserve.ts';

/**
 * Made only once a database was there, or kept by a restore. The locks, `native` and an empty `jobd.db` are made before: they
 * are left by a start that failed.
 */
const traces = new Set(['secret-key', basename(reservePath('')), 'jobd.db-wal']);
const keptDatabase = /^jobd-before-.*\.db$/;

/** Why a directory without a database must not get a new one; null if it may. */
export function lostDatabase(dataDir: string): JobdError | null {
  const left = namesIn(dataDir).filter((name) => traces.has(name) || keptDatabase.test(name));
  const path = join(dataDir, 'jobd.db');
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (left.length === 0 || (size ?? 0) > 0) return null;
  const state = size === undefined ? 'missing' : 'empty';
  const files = left.length === 1 ? 'that file' : 'those files';
  return new JobdError(
    'unavailable',
    `${path} is ${state} beside ${left.join(', ')}: an earlier database was lost`,
    {
      notes: [
        'restore a backup: jobd restore FILE',
        `or, to start from scratch, move ${files} away`,
      ],
    },
  );
}

/** Why the database of a data directory is not the one that its daemon has open, and what to do; null if it is, or that cannot be seen. */
export function movedDatabase(dataDir: string): JobdError | null {
  const path = join(dataDir, 'jobd.db');
  const pid = whoLocks(dataDir);
  if (pid === undefined || hasOpen(pid, path) !== false) return null;
  const open = databasesOpenIn(pid);
  const moved = open.find((file) => !file.isLog)?.path ?? undefined;
  const what = moved === undefined ? 'was removed or replaced' : `was moved to ${moved}`;
  return new JobdError(
    'unavailable',
    `process ${pid} has another file open than ${path}, which ${what}: what it stored since is not in this one`,
    {
      notes:
        moved === undefined
          ? rescueOf(open)
          : [
              `move ${moved} back to ${path}, with ${moved}-wal and -shm beside it: jobd continues by itself`,
            ],
    },
  );
}

/** What was removed lasts as long as it is open. */
function rescueOf(open: readonly OpenFile[]): string[] {
  const copies = open.map(
    ({ descriptor, isLog }) => `cp ${descriptor} ${isLog ? 'saved.db-wal' : 'saved.db'}`,
  );
  if (copies.length === 0) return ['it cannot be seen here: stop jobd, and restore a backup'];
  return [
    `before you stop jobd, copy what it has open: ${copies.join('; ')}`,
    'then stop it: jobd restore saved.db --unverified',
  ];
}
