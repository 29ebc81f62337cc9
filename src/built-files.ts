/**
 * Texts that the build makes. They are files beside the bundle, and assets in the single executable. Run from source,
 * the last build has them.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { JobdError } from './domain/errors.ts';

/** Names of the files and assets; the build fills them in. */
declare const JOBD_SCRIPT: string;
declare const JOBD_LICENSES: string;

/** The script that verifies receipts without jobd. Throws `unavailable` if nothing was built. */
export function readVerifyScript(): Promise<string> {
  return readBuilt(typeof JOBD_SCRIPT === 'undefined' ? 'verify-receipt.mjs' : JOBD_SCRIPT);
}

/** The licences of everything in jobd. Throws `unavailable` if nothing was built. */
export function readLicenses(): Promise<string> {
  return readBuilt(typeof JOBD_LICENSES === 'undefined' ? 'THIRD_PARTY_LICENSES' : JOBD_LICENSES);
}

async function readBuilt(name: string): Promise<string> {
  if (isSea()) return getAsset(name, 'utf8');
  // The build makes this the directory of the bundle.
  const here = import.meta.dirname;
  const isBundle = typeof JOBD_SCRIPT !== 'undefined';
  try {
    return await readFile(isBundle ? join(here, name) : join(here, '..', 'dist', name), 'utf8');
  } catch (cause) {
    throw new JobdError('unavailable', `${name} is not built: npm run build`, { cause });
  }
}
