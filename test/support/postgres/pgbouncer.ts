/** PgBouncer in transaction mode: each transaction gets any connection of the server. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../directory.ts';
import { ownPort } from '../own-port.ts';
import { until } from '../until.ts';
import { nobody } from './prepared.ts';

/** Why it cannot be used here, or false. */
export const noPgbouncer: string | false =
  spawnSync('pgbouncer', ['--version']).status === 0 ? false : 'pgbouncer is not installed';

/** The settings of a version that keeps no prepared statements, which are also those of versions before 1.21. */
const settings = {
  listen_addr: '127.0.0.1',
  auth_type: 'trust',
  pool_mode: 'transaction',
  default_pool_size: '3',
  unix_socket_dir: '',
};

/** Starts it before this server; it ends with the test. Returns the URL of the same database through it. */
export async function startPgbouncer(t: TestContext, server: string): Promise<string> {
  const url = new URL(server);
  const directory = temporaryDirectory(t);
  const port = await ownPort();
  const users = join(directory, 'users');
  const config = join(directory, 'pgbouncer.ini');
  writeFileSync(users, `"${url.username}" ""\n`);
  writeFileSync(
    config,
    [
      '[databases]',
      `* = host=${url.hostname} port=${url.port}`,
      '[pgbouncer]',
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
      `listen_port = ${port}`,
      `auth_file = ${users}`,
      '',
    ].join('\n'),
  );
  chmodSync(directory, 0o755);
  const asUser = process.getuid?.() === 0 ? nobody : {};
  const child = spawn('pgbouncer', ['-q', config], { ...asUser, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await until('PgBouncer', () => accepts(port));
  return Object.assign(url, { port: String(port) }).href;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
