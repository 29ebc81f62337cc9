/** What other users run in tests of root, where all of them can read it: they may have no way into this directory. */

import { chmodSync, cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../directory.ts';
import { program, script } from './command.ts';
import { executable } from './executable.ts';

/** The path of a copy of Node. */
export function nodeForAll(t: TestContext): string {
  const node = join(directoryForAll(t), 'node');
  cpSync(process.execPath, node);
  return node;
}

/** The words that start a copy of jobd; with the sources themselves if it is not built. */
export function programForAll(t: TestContext): string[] {
  const directory = directoryForAll(t);
  if (program.length === 1) {
    cpSync(executable, join(directory, 'jobd'));
    return [join(directory, 'jobd')];
  }
  const node = nodeForAll(t);
  if (!script.endsWith('.cjs')) return [node, script];
  cpSync(dirname(script), directory, { recursive: true, filter: (path) => path !== executable });
  // The copy has the mode of the original.
  chmodSync(directory, 0o755);
  return [node, join(directory, basename(script))];
}

function directoryForAll(t: TestContext): string {
  const directory = temporaryDirectory(t);
  chmodSync(directory, 0o755);
  return directory;
}
