/** A PostgreSQL server of its own: the binaries of a package, a new data directory, a port of loopback. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { Client } from 'pg';
import { ownPort } from '../own-port.ts';
import { until } from '../until.ts';
import { makeDatabase } from './database.ts';
import {
  copyFolder,
  initdb,
  nobody,
  noPostgres,
  ownerIn,
  preparedServer,
  serverDirectory,
} from './prepared.ts';

export { noPostgres };

/** A wrapper command that runs another as the server's user. */
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

/** The server that all tests share. Nobody stops it, changes its settings, or makes roles on it. */
const sharedUrl = process.env['JOBD_TEST_SERVER'] ?? process.env['JOBD_TEST_POSTGRES'];

type Started = Pick<PostgresServer, 'url' | 'port'>;

/** The server of a file. */
export interface ServerOfFile {
  /** Why its tests cannot run, or false. */
  skip: string | false;
  /** Starts it at the first use. */
  readonly started: () => Promise<Started>;
  /** Makes a database with all tables and no rows. Resolves with its URL. */
  readonly newDatabase: () => Promise<string>;
}

let shared: ServerOfFile | undefined;

/**
 * A server for the tests of a file. Without settings, it is the one that the environment names, else one of this process. With
 * settings, even none, it is the file's own.
 */
export function postgresOfFile(settings?: Readonly<Record<string, string>>): ServerOfFile {
  if (settings !== undefined) return startedOnce(settings);
  if (sharedUrl === undefined) return (shared ??= startedOnce({}));
  const given = { url: sharedUrl, port: Number(new URL(sharedUrl).port) };
  return ofFile(() => Promise.resolve(given));
}

function startedOnce(settings: Readonly<Record<string, string>>): ServerOfFile {
  let server: Promise<PostgresServer> | undefined;
  after(async () => (await server)?.[Symbol.asyncDispose]());
  return ofFile(() => (server ??= startPostgres(settings)));
}

function ofFile(started: () => Promise<Started>): ServerOfFile {
  const newDatabase = async (): Promise<string> => await makeDatabase((await started()).url);
  return { skip: noPostgres() ?? false, started, newDatabase };
}

/** Starts a server with these settings. Nothing of it outlives a crash: `fsync` is off unless it is given. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  /** A wrapper command for it: `nsenter …`, as root. It must not fork. */
  wrapper: readonly string[] = [],
  /** The password of its superuser, by SCRAM; without one, it trusts everybody. */
  password?: string,
): Promise<PostgresServer> {
  const prepared = preparedServer();
  const binaries = join(prepared, 'server');
  const directory = serverDirectory();
  const data = join(directory, 'data');
  if (password === undefined) copyFolder(join(prepared, 'data'), data);
  else initdb(directory, { binaries, data }, password);
  const user = password === undefined ? 'postgres' : `postgres:${encodeURIComponent(password)}`;
  return await startIn({ binaries, directory, user, settings, wrapper });
}

interface Place {
  binaries: string;
  /** Its folder, which goes with it. */
  directory: string;
  /** Who connects, with the password if there is one. */
  user: string;
  settings: Readonly<Record<string, string>>;
  wrapper: readonly string[];
}

/** Starts a server whose data is there. */
async function startIn(place: Place): Promise<PostgresServer> {
  const { binaries, directory, user, settings, wrapper } = place;
  const data = join(directory, 'data');
  const asUser = ownerIn(directory);
  const port = await ownPort();
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
    const command = [join(binaries, 'bin/postgres'), '-D', data, ...args];
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
    return await answers(url, data);
  }

  async function start(): Promise<void> {
    await until('the server', isThere);
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
    copyFolder(directory, copied);
    await start();
    const copiedData = join(copied, 'data');
    writeFileSync(join(copiedData, 'standby.signal'), '');
    const follow = `\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`;
    appendFileSync(join(copiedData, 'postgresql.auto.conf'), follow);
    return await startIn({ ...place, directory: copied });
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

/** However this process ends, the input of a shell closes then. */
function endWithThisProcess(server: ChildProcess): void {
  const script = `cat; kill -QUIT ${server.pid}`;
  const watcher = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  server.once('exit', () => watcher.kill('SIGKILL'));
  watcher.stdin.on('error', () => {});
  watcher.unref();
  (watcher.stdin as Socket).unref();
}

/** Whether it is this server that answers there, and no other one. */
async function answers(url: string, data: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ at: string }>(
      "select current_setting('data_directory') at",
    );
    await client.end();
    return rows[0]?.at === data;
  } catch {
    return false;
  }
}
