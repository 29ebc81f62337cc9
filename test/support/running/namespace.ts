/**
 * A mount namespace of a test's own (mount_namespaces(7)): what is mounted in it nobody else sees, and
 * it goes with the test. Linux, as root.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
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
  /** The words that run a command inside; they do not fork. */
  enter: readonly string[];
  /** The path from outside of what is at `path` inside. */
  outside(path: string): string;
  /** Runs a shell command inside. Throws if it fails. */
  run(command: string): void;
}

/** Makes one, after the mounts that a shell command makes. */
export async function makeNamespace(t: TestContext, mounts: string): Promise<Namespace> {
  // It lives as long as its input is open: not longer than this process, whatever becomes of it.
  const script = `${mounts}\necho ready; exec cat`;
  const args = ['--mount', '--propagation', 'private', 'sh', '-ec', script];
  const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => holder.kill('SIGKILL'));
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
