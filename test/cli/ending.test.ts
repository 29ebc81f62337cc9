/** How a command ends that waits for what never comes. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../support/running/program.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

test('a command that ends before it is done has failed, and says so', async () => {
  // No time limit of the driver runs yet.
  const never = `data:text/javascript,import { Socket } from 'node:net';
    Socket.prototype.connect = () => { throw new RangeError('nowhere'); };`;
  const ran = await runProgram([process.execPath, '--import', never, main, 'key', 'list'], {
    env: { JOBD_DATABASE_URL: 'postgres://127.0.0.1:9/d', JOBD_SECRET_KEY: '7a'.repeat(32) },
  });
  assert.deepEqual(ran, {
    exitCode: 1,
    stdout: '',
    stderr: 'jobd: the command ended before it was done, which is a bug\n',
  });
});
