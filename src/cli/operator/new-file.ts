/**
 * A file that root makes for what it writes as another user, who may not remove it. A helper that stays root does that, unless
 * it is told to keep the file: also when this process is killed.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { cannotMake } from '../../base/whole-file.ts';

/** An open, empty file. Disposing of it removes it, unless it is kept. */
export interface NewFile extends AsyncDisposable {
  descriptor: number;
  keep(): void;
}

/** Its standard input ends with this process. */
const script = 'read -r word && test "$word" = keep || rm -f -- "$1"';

/** Creates a file that only its owner can read. Throws `conflict` if the name exists, even as a link. */
export function makeNewFile(path: string): NewFile {
  const descriptor = create(path);
  const helper = spawn('/bin/sh', ['-c', script, 'sh', path], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    // Ctrl-C is for this process only.
    detached: true,
  });
  // Without a shell the file stays, empty.
  const ended = once(helper, 'exit').catch(() => {});
  helper.stdin.on('error', () => {});
  helper.unref();
  return {
    descriptor,
    keep: () => void helper.stdin.end('keep\n'),
    async [Symbol.asyncDispose]() {
      helper.ref();
      helper.stdin.end();
      await ended;
    },
  };
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw cannotMake(path, error);
  }
}
