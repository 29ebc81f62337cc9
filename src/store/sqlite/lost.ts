/** A data directory whose database is gone: what an earlier one left beside it tells that apart from a new directory. */

import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { JobdError } from '../../domain/errors.ts';
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
    { notes: ['restore a backup: jobd restore FILE', `or, to begin anew, move ${files} away`] },
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch {
    return []; // it does not exist
  }
}
