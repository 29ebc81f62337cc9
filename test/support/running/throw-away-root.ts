/**
 * A copy of this system to change freely: an overlay on /, in the test's mount namespace, whose
 * changes are in memory and end with it. Linux, as root.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../directory.ts';
import { makeNamespace, noNamespaces } from './namespace.ts';
import { runProgram, type Ran } from './program.ts';

/** Why there can be no such root here, or false. */
export const noThrowAwayRoot = noNamespaces || whyNot();

function whyNot(): string | false {
  const tried = spawnSync('unshare', ['--mount', 'sh', '-ec', `cd /tmp && ${mountsAt('/mnt')}`], {
    encoding: 'utf8',
  });
  return tried.status === 0 ? false : `no overlay can be mounted: ${tried.stderr.trim()}`;
}

function mountsAt(directory: string): string {
  const root = `${directory}/root`;
  const { homedir } = userInfo();
  return `mount -t tmpfs -o size=600m tmpfs ${directory}
    mkdir ${directory}/upper ${directory}/work ${root}
    mount -t overlay -o lowerdir=/,upperdir=${directory}/upper,workdir=${directory}/work overlay ${root}
    mount --rbind /dev ${root}/dev
    mount --rbind /proc ${root}/proc
    mount -t tmpfs tmpfs ${root}/run
    # A jobd that root runs on this machine is none of it.
    for own in .local .config; do
      mkdir -p "${root}${homedir}/$own"
      mount -t tmpfs tmpfs "${root}${homedir}/$own"
    done
    mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`;
}

export interface ThrowAwayRoot {
  /** Runs a program in it, with only this environment, a minute at most. */
  readonly run: (words: readonly string[], env?: Record<string, string>) => Promise<Ran>;
  write(path: string, content: string | Uint8Array, mode?: number): void;
  copy(from: string, path: string): void;
  read(path: string): string;
  has(path: string): boolean;
}

export async function makeThrowAwayRoot(t: TestContext): Promise<ThrowAwayRoot> {
  const directory = temporaryDirectory(t);
  const namespace = await makeNamespace(t, mountsAt(directory));
  const outside = (path: string): string => {
    const own = namespace.outside(`${directory}/root${path}`);
    mkdirSync(dirname(own), { recursive: true });
    return own;
  };
  return {
    run: (command, env = {}) =>
      runProgram([...namespace.enter, 'chroot', `${directory}/root`, ...command], {
        env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
      }),
    write: (path, content, mode = 0o644) => writeFileSync(outside(path), content, { mode }),
    copy: (from, path) => cpSync(from, outside(path)),
    read: (path) => readFileSync(outside(path), 'utf8'),
    has: (path) => existsSync(namespace.outside(`${directory}/root${path}`)),
  };
}
