/**
 * The owner of a data directory who waits for root: each file that appears in it is replaced by a link to a file of root's, as
 * fast as this process can, for half a minute at most. Arguments: the data directory, the file of root's, and the names.
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
      // It was gone again: the other side was faster.
    }
  }
}
