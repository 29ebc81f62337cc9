/**
 * The code of the thread of outgoing calls. The build makes it: beside the bundle it is a file, in the single
 * executable an asset; run from source, it is the source.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** Name of the asset and of the file beside the bundle; written in by the build. */
declare const JOBD_EGRESS_THREAD: string;

/** The code itself, or the file that holds it. */
export interface ThreadCode {
  code: string;
  isFile: boolean;
}

/** Reads it. Throws if it is not there. */
export function threadCode(): ThreadCode {
  if (typeof JOBD_EGRESS_THREAD === 'undefined') {
    return { code: join(import.meta.dirname, 'thread.ts'), isFile: true };
  }
  if (isSea()) return { code: getAsset(JOBD_EGRESS_THREAD, 'utf8'), isFile: false };
  // In the bundle, the build makes this directory the bundle's own.
  const file = join(import.meta.dirname, JOBD_EGRESS_THREAD);
  return { code: readFileSync(file, 'utf8'), isFile: false };
}
