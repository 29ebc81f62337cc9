/**
 * Texts that the build makes and that go with the program: beside the bundle they are files, in the single
 * executable assets; run from source, they are what was built last.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { JobdError } from './domain/errors.ts';

/** Names of the assets and of the files beside the bundle; written in by the build. */
declare const JOBD_SCRIPT: string;
declare const JOBD_LICENSES: string;

/** The script that checks receipts without jobd. Throws `unavailable` where nothing was built. */
export function readVerifyScript(): Promise<string> {
  return readBuilt(typeof JOBD_SCRIPT === 'undefined' ? 'verify-receipt.mjs' : JOBD_SCRIPT);
}

/** The licences of what jobd contains. Throws `unavailable` where nothing was built. */
export function readLicenses(): Promise<string> {
  return readBuilt(typeof JOBD_LICENSES === 'undefined' ? 'THIRD_PARTY_LICENSES' : JOBD_LICENSES);
}

async function readBuilt(name: string): Promise<string> {
  if (isSea()) return getAsset(name, 'utf8');
  // Of the bundle, the build makes this directory the bundle's own.
  const here = import.meta.dirname;
  const isBundle = typeof JOBD_SCRIPT !== 'undefined';
  try {
    return await readFile(isBundle ? join(here, name) : join(here, '..', 'dist', name), 'utf8');
  } catch (cause) {
    throw new JobdError('unavailable', `${name} is not built: npm run build`, { cause });
  }
}
