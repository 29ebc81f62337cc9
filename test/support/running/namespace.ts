/**
 * A mount namespace of one test (mount_namespaces(7)): its mounts are invisible to others and end
 * with the test. Linux, as root.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';

/** Why there can be no mount namespace here, or false. */
export const noNamespaces = whyNot();

function whyNot(): string | false {
  const tried = spawnSync('unshare', ['--mount', 'true'], { encoding: 'utf8' });
  if (tried.error !== undefined) return 'unshare is not installed';
  return tried.status === 0 ? false : `no mount namespace can be made: ${tried.stderr.trim()}`;
}

export interface Namespace {
  /** The wrapper command for it; it does not fork. */
  enter: readonly string[];
  /** The path from outside of `path` inside. */
  outside(path: string): string;
  /** Runs a shell command inside. Throws if it fails. */
  run(command: string): void;
}

/** Makes one, after running a shell command with its mounts. */
export async function makeNamespace(t: TestContext, mounts: string): Promise<Namespace> {
  // It lives while its input is open, so never longer than this process.
  const script = `${mounts}\necho ready; exec cat`;
  const args = ['--mount', '--propagation', 'private', 'sh', '-ec', script];
  const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => {
    for (const pid of processesIn(holder.pid)) process.kill(pid, 'SIGKILL');
    holder.kill('SIGKILL');
  });
  const ready = once(holder.stdout, 'data');
  const failed = once(holder, 'exit').then(async () => {
    throw new Error(`no namespace: ${await text(holder.stderr)}`);
  });
  failed.catch(() => {});
  await Promise.race([ready, failed]);
  const enter = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`];
  return {
    enter,
    outside: (path) => `/proc/${holder.pid}/root${path}`,
    run: (command) => void execFileSync('nsenter', [...enter.slice(1), 'sh', '-ec', command]),
  };
}

/** What still runs in the namespace of a process, which may outlive whoever started it. */
function processesIn(holder = 0): number[] {
  const [own, wanted] = [namespaceOf(process.pid), namespaceOf(holder)];
  if (wanted === null || wanted === own) return [];
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => pid !== holder && namespaceOf(pid) === wanted);
}

/** Null if the process has ended. */
function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return null;
  }
}
