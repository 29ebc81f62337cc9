/** Files that only their owner can read. */

import * as fs from 'node:fs';

/** Makes an empty file. Throws EEXIST if there is one, or a link, of this name. */
export function makeOwnersFile(path: string): void {
  fs.closeSync(fs.openSync(path, 'wx', 0o600));
}
