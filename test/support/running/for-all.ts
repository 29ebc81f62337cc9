/** What other users run in tests of root, where all of them can read it: they may have no way into this directory. */

import { chmodSync, cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../directory.ts';
import { main } from './command.ts';
import { executable } from './executable.ts';

/** The path of a copy of Node. */
export function nodeForAll(t: TestContext): string {
  const node = join(directoryForAll(t), 'node');
  cpSync(process.execPath, node);
  return node;
}

/** The path of a copy of the bundle; of the sources themselves if it is not built. */
export function mainForAll(t: TestContext): string {
  if (!main.endsWith('.cjs')) return main;
  const directory = directoryForAll(t);
  cpSync(dirname(main), directory, { recursive: true, filter: (path) => path !== executable });
  // The copy has the mode of the original.
  chmodSync(directory, 0o755);
  return join(directory, basename(main));
}

function directoryForAll(t: TestContext): string {
  const directory = temporaryDirectory(t);
  chmodSync(directory, 0o755);
  return directory;
}
