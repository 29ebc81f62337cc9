/** The `jobd serve` processes of this machine, as /proc shows them to this user: for messages only. Linux. */

import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { ifPossible } from '../../domain/errors.ts';
import { databaseUrl, namedDataDir, type Environment, type Flags } from '../../settings/config.ts';
import { flagsIn } from './serve-flags.ts';

/** A process that runs `jobd serve`, but for a demo: its data are for nobody else. */
export interface RunningServer {
  pid: number;
  uid: number;
  /** The name of that user; its number if the system has none. */
  user: string;
  /** The unit of systemd that started it; null if none did. */
  unit: string | null;
  /** Null if this user may not know it. */
  dataDir: string | null;
}

/** More processes are not looked at, and of each no more than this. */
const mostProcesses = 10_000;
const mostBytes = 64 * 1024;
const mostServers = 64;

const systemPaths = { proc: '/proc', passwd: '/etc/passwd' };

/** Finds them. What cannot be read is left out; never throws. */
export function findServers({ proc, passwd } = systemPaths): RunningServer[] {
  const found: RunningServer[] = [];
  for (const name of processesIn(proc)) {
    const server = serverIn(join(proc, name), Number(name), passwd);
    if (server !== null) found.push(server);
    if (found.length === mostServers) break;
  }
  return found;
}

function processesIn(proc: string): string[] {
  const names = ifPossible(() => readdirSync(proc)) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).slice(0, mostProcesses);
}

function serverIn(directory: string, pid: number, passwd: string): RunningServer | null {
  try {
    const words = listIn(join(directory, 'cmdline'));
    // `jobd serve …`, or `node jobd.cjs serve …`.
    const at = [1, 2].find((index) => words[index] === 'serve' && isJobd(words[index - 1]));
    if (at === undefined || words.includes('--demo')) return null;
    const { uid } = statSync(directory);
    const { user, home } = userOf(passwd, uid);
    const dataDir = dataDirOf(directory, flagsIn(words.slice(at)), home);
    return { pid, uid, user, unit: unitOf(directory), dataDir };
  } catch {
    return null;
  }
}

/** As the file of users has them: passwd(5). */
function userOf(passwd: string, uid: number): { user: string; home: string | null } {
  const users = textOf(passwd)
    .split('\n')
    .map((line) => line.split(':'));
  const [name, , , , , home] = users.find((fields) => fields[2] === `${uid}`) ?? [];
  return { user: name || `${uid}`, home: home || null };
}

/** As the control group of the process says: cgroups(7). */
function unitOf(directory: string): string | null {
  const [, unit = null] =
    /^(?:0:|\d+:name=systemd):.*\/((?!user@)[^/\n]+\.service)$/m.exec(
      textOf(join(directory, 'cgroup')),
    ) ?? [];
  return unit;
}

/** The text of a file; empty if it cannot be read. */
function textOf(file: string): string {
  return ifPossible(() => readFileSync(file, 'utf8')) ?? '';
}

function isJobd(program = ''): boolean {
  return /^jobd(?:\.cjs|-linux-\w+|\.previous)?$/.test(basename(program));
}

/** As `jobd serve` itself finds it. */
function dataDirOf(directory: string, flags: Flags, home: string | null): string | null {
  try {
    const lines = listIn(join(directory, 'environ'));
    const env: Environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
    const cwd = readlinkSync(join(directory, 'cwd'));
    return databaseUrl(flags, env) === null ? namedDataDir(flags, env, { cwd, home }).path : null;
  } catch {
    const named = flags['data'];
    return typeof named === 'string' && isAbsolute(named) ? named : null;
  }
}

/** The texts of a file that ends each with a zero byte. */
function listIn(file: string): string[] {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(mostBytes);
    const length = readSync(descriptor, buffer, 0, mostBytes, 0);
    return buffer.toString('utf8', 0, length).split('\0').slice(0, -1);
  } finally {
    closeSync(descriptor);
  }
}
