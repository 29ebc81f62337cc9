/**
 * The code of the thread of outgoing calls. The build makes it: beside the bundle it is a file, in the single
 * executable an asset; run from source, it is the source.
 */

import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** Name of the asset and of the file beside the bundle; written in by the build. */
declare const JOBD_EGRESS_THREAD: string;

/** The code itself, or the file that holds it. */
export function threadCode(): { code: string; isFile: boolean } {
  const isBuilt = typeof JOBD_EGRESS_THREAD !== 'undefined';
  if (isBuilt && isSea()) return { code: getAsset(JOBD_EGRESS_THREAD, 'utf8'), isFile: false };
  // In the bundle, the build makes this directory the bundle's own.
  const name = isBuilt ? JOBD_EGRESS_THREAD : 'thread.ts';
  return { code: join(import.meta.dirname, name), isFile: true };
}
