/** What the build makes beside the program: files, or assets in the single executable. Run from source, the last build has them. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { JobdError } from '../domain/errors.ts';

/** Names of the files and assets; the build fills them in. */
declare const JOBD_SCRIPT: string;
declare const JOBD_LICENSES: string;

/** The script that verifies receipts without jobd. Throws `unavailable` if nothing was built. */
export async function readVerifyScript(): Promise<string> {
  const name = typeof JOBD_SCRIPT === 'undefined' ? 'verify-receipt.mjs' : JOBD_SCRIPT;
  return (await readBuilt(name)).toString();
}

/** The licences of everything in jobd. Throws `unavailable` if nothing was built. */
export async function readLicenses(): Promise<string> {
  const name = typeof JOBD_LICENSES === 'undefined' ? 'THIRD_PARTY_LICENSES' : JOBD_LICENSES;
  return (await readBuilt(name)).toString();
}

/** A file that the pages load, by its name in the build. Throws as above. */
export async function readPageFile(name: string): Promise<Buffer> {
  return await readBuilt(`page/${name}`);
}

async function readBuilt(name: string): Promise<Buffer> {
  if (isSea()) return Buffer.from(getAsset(name));
  // The build makes this the directory of the bundle.
  const here = import.meta.dirname;
  const isBundle = typeof JOBD_SCRIPT !== 'undefined';
  try {
    return await readFile(isBundle ? join(here, name) : join(here, '..', '..', 'dist', name));
  } catch (cause) {
    throw new JobdError('unavailable', `${name} is not built: npm run build`, { cause });
  }
}
