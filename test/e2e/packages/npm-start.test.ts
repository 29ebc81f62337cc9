/** `npm start`: stopping npm stops the daemon. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { until } from '../../support/until.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const hasNpm = spawnSync('npm', ['--version']).status === 0;
const skip = !existsSync(join(root, 'dist', 'jobd.cjs'))
  ? 'dist/jobd.cjs is not built'
  : hasNpm
    ? false
    : 'npm is not installed';

test('SIGTERM to npm start ends the daemon', { skip, timeout: 60_000 }, async (t) => {
  const place = temporaryDirectory(t);
  // The built files and a build script that does nothing: other tests use dist in the meantime.
  cpSync(join(root, 'package.json'), join(place, 'package.json'));
  mkdirSync(join(place, 'dist'));
  for (const file of ['jobd.cjs', 'egress-thread.cjs', 'better_sqlite3.node']) {
    cpSync(join(root, 'dist', file), join(place, 'dist', file));
  }
  writeFileSync(join(place, 'build.mjs'), '');
  // As npm ci brings it: the Node of these tests.
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const npm = spawn('npm', ['start', '--', '--port', '0', '--data', join(place, 'data')], {
    cwd: place,
    env: { ...process.env, PATH: path, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let daemon = 0;
  t.after(() => {
    npm.kill('SIGKILL');
    if (daemon !== 0 && isRunning(daemon)) process.kill(daemon, 'SIGKILL');
  });
  const ended = once(npm, 'exit');
  for await (const line of createInterface({ input: npm.stdout })) {
    if (line.startsWith('listening on ')) break;
  }
  const pidFile = join(place, 'data', 'serve.pid');
  daemon = Number((await readFile(pidFile, 'utf8')).trim());
  assert.ok(isRunning(daemon));
  npm.kill('SIGTERM');
  await ended;
  await until('the daemon to end', () => !isRunning(daemon));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
