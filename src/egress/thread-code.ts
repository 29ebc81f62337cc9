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
  // Of the bundle, the build makes this directory the bundle's own.
  const here = import.meta.dirname;
  if (typeof JOBD_EGRESS_THREAD === 'undefined')
    return { code: join(here, 'thread.ts'), isFile: true };
  if (isSea()) return { code: getAsset(JOBD_EGRESS_THREAD, 'utf8'), isFile: false };
  return { code: join(here, JOBD_EGRESS_THREAD), isFile: true };
}
