/**
 * The script that checks receipts without jobd, as people download it. The build makes it: beside the
 * bundle it is a file, in the single executable an asset; run from source, it is what was built last.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { JobdError } from './domain/errors.ts';

/** Name of the asset and of the file beside the bundle; written in by the build. */
declare const JOBD_SCRIPT: string;

/** The text of verify-receipt.mjs. Throws `unavailable` where nothing was built. */
export async function readVerifyScript(): Promise<string> {
  if (isSea()) return getAsset(JOBD_SCRIPT, 'utf8');
  try {
    return await readFile(builtScript(), 'utf8');
  } catch (cause) {
    throw new JobdError('unavailable', 'verify-receipt.mjs is not built: npm run build', { cause });
  }
}

function builtScript(): string {
  // Of the bundle, the build makes this directory the bundle's own.
  const here = import.meta.dirname;
  return typeof JOBD_SCRIPT === 'undefined'
    ? join(here, '..', 'dist', 'verify-receipt.mjs')
    : join(here, JOBD_SCRIPT);
}
