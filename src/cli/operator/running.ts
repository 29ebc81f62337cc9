/** The `jobd serve` processes of this machine, as /proc shows them to this user: for messages only. Linux. */

import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** A process that runs `jobd serve`. */
export interface RunningServer {
  pid: number;
  uid: number;
  /** Null if this user may not know it. */
  dataDir: string | null;
}

/** More processes are not looked at, and of each no more than this. */
const mostProcesses = 10_000;
const mostBytes = 64 * 1024;
const mostServers = 8;

/** Finds them. What cannot be read is left out; never throws. */
export function findServers(proc = '/proc'): RunningServer[] {
  const found: RunningServer[] = [];
  for (const name of processesIn(proc)) {
    const server = serverIn(join(proc, name), Number(name));
    if (server !== null) found.push(server);
    if (found.length === mostServers) break;
  }
  return found;
}

function processesIn(proc: string): string[] {
  try {
    const names = readdirSync(proc).filter((name) => /^\d+$/.test(name));
    return names.slice(0, mostProcesses);
  } catch {
    return [];
  }
}

function serverIn(directory: string, pid: number): RunningServer | null {
  try {
    const words = listIn(join(directory, 'cmdline'));
    // `jobd serve …`, or `node jobd.cjs serve …`.
    const at = [1, 2].find((index) => words[index] === 'serve' && isJobd(words[index - 1]));
    if (at === undefined) return null;
    const { uid } = statSync(directory);
    return { pid, uid, dataDir: dataDirOf(directory, words.slice(at + 1)) };
  } catch {
    return null;
  }
}

function isJobd(program = ''): boolean {
  return /^jobd(?:\.cjs|-linux-\w+|\.previous)?$/.test(basename(program));
}

/** As `jobd serve` itself finds it. */
function dataDirOf(directory: string, words: readonly string[]): string | null {
  const at = words.findLastIndex((word) => word === '--data' || word.startsWith('--data='));
  const word = words[at];
  const flag = word === '--data' ? words[at + 1] : word?.slice('--data='.length);
  try {
    if (flag) return resolve(readlinkSync(join(directory, 'cwd')), flag);
    const env = Object.fromEntries(
      listIn(join(directory, 'environ')).map((line) => line.split(/=(.*)/s, 2)),
    ) as Record<string, string | undefined>;
    const { JOBD_DATA: data, STATE_DIRECTORY: state, XDG_DATA_HOME: shared, HOME: home } = env;
    const named = data || state;
    if (named) return resolve(readlinkSync(join(directory, 'cwd')), named);
    if (shared) return join(shared, 'jobd');
    return home ? join(home, '.local', 'share', 'jobd') : null;
  } catch {
    return flag?.startsWith('/') ? flag : null;
  }
}

/** The texts of a file that ends each with a zero byte. */
function listIn(file: string): string[] {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(mostBytes);
    const length = readSync(descriptor, buffer, 0, mostBytes, 0);
    return buffer.toString('utf8', 0, length).split('\0');
  } finally {
    closeSync(descriptor);
  }
}
