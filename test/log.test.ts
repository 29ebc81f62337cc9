/** Writing the log. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const logModule = join(import.meta.dirname, '../src/log.ts');

/** Runs a program that has `log`, with this file as its stderr. */
function run(program: string, stderr: 'pipe' | number) {
  const source = `import { openLog } from ${JSON.stringify(logModule)}; const log = openLog('info'); ${program}`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', stderr],
    timeout: 30_000,
  });
}

test('all lines of one turn are written, in order, when the process ends', () => {
  for (const end of ['process.exit(3);', 'process.exitCode = 3;']) {
    const ended = run(
      `for (let line = 0; line < 1000; line++) log.info({ line }, 'x'); ${end}`,
      'pipe',
    );
    assert.equal(ended.status, 3);
    const lines = ended.stderr.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { line: number }).line),
      Array.from({ length: 1_000 }, (_, line) => line),
    );
  }
});

const isFullThere = existsSync('/dev/full');
test(
  'a log that cannot be written does not end the process',
  { skip: isFullThere ? false : 'there is no /dev/full here' },
  () => {
    const full = openSync('/dev/full', 'w');
    const ended = run(
      `for (let turn = 0; turn < 20; turn++) {
         log.info('x'.repeat(100_000));
         await new Promise((resolve) => setImmediate(resolve));
       }
       console.log('done');`,
      full,
    );
    closeSync(full);
    assert.equal(ended.stdout, 'done\n');
    assert.equal(ended.status, 0);
  },
);
