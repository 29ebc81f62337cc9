/** A user who has no home: neither HOME nor a line in /etc/passwd, as in a container. */

import assert from 'node:assert/strict';
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { executable, notPackaged, startServe } from '../../support/running/executable.ts';
import { runProgram } from '../../support/running/program.ts';
import { notRoot } from '../../support/running/other-user.ts';

const uid = 54_321;

test(
  'a user without a home names the directory, and is told so',
  { skip: notPackaged || notRoot },
  async (t) => {
    const directory = temporaryDirectory(t);
    chmodSync(directory, 0o755);
    const jobd = join(directory, 'jobd');
    copyFileSync(executable, jobd);
    chmodSync(jobd, 0o755);
    const data = join(directory, 'data');
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, uid, uid);
    const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
    const run = (args: string[], env = {}) =>
      runProgram([...asUser, jobd, ...args], { env, cwd: directory });

    for (const args of [
      ['serve', '--port', '0'],
      ['key', 'list'],
    ]) {
      const { exitCode, stderr } = await run(args);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, /this user has no home directory: set HOME, or use --data/);
    }
    const login = await run(['login'], {});
    assert.match(login.stderr, /no home directory to keep profiles in: set HOME/);

    const daemon = startServe(t, ['--data', data], {
      cwd: directory,
      wrapper: asUser,
      executable: jobd,
    });
    const url = await daemon.listening;
    const created = await run(['key', 'create', '--data', data]);
    assert.equal(created.exitCode, 0, created.stderr);
    const env = { JOBD_URL: url, JOBD_API_KEY: created.stdout.trim() };
    const listed = await run(['jobs', 'list'], env);
    assert.deepEqual([listed.exitCode, listed.stderr], [0, 'there are no jobs\n']);
    const refused = await run(['jobs', 'list'], { JOBD_URL: url });
    assert.equal(refused.exitCode, 4, refused.stderr);
    assert.doesNotMatch(daemon.log() + refused.stderr, /homedir/);
  },
);
