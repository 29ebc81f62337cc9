/** Real causes that make a store unwritable for a while. */

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { makeNamespace, noNamespaces } from '../../support/running/namespace.ts';
import { cannotTrace, injectFault } from '../../support/running/strace.ts';
import { holdWriteLock } from '../../support/running/write-lock.ts';
import { prepareService, type Service } from './service.ts';

/** An outage in effect; resolves when it has ended. */
export interface Outage {
  end(): Promise<unknown> | void;
}

export interface OutageKind {
  /** As the end of a sentence. */
  what: string;
  skip: string | false;
  readonly prepare: typeof prepareService;
  readonly begin: (t: TestContext, service: Service, pid: number) => Promise<Outage> | Outage;
}

const onLinux = process.platform === 'linux' ? false : 'only on Linux';

export const fullDisk: OutageKind = {
  what: 'the disk is full',
  skip: noNamespaces,
  async prepare(t, names, options) {
    const directory = temporaryDirectory(t);
    const mounted = await makeNamespace(t, `mount -t tmpfs -o size=4m tmpfs ${directory}`);
    return await prepareService(t, names, { ...options, namespace: { mounted, directory } });
  },
  begin(_, { outside }) {
    const filler = join(outside, '..', 'filler');
    fill(filler);
    return { end: () => rmSync(filler) };
  },
};

/** Fills the free space with a file, page by page. */
export function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Node.js ignores SIGXFSZ, so that a write beyond the limit fails with EFBIG (setrlimit(2)). The
 * current size of the log is not a usable limit: the log restarts after a checkpoint, and then has
 * free space again.
 */
export const limitedFile: OutageKind = {
  what: 'its files may not be written beyond their first byte',
  skip: onLinux,
  prepare: prepareService,
  begin(_, __, pid) {
    const limit = (size: 1 | 'unlimited') =>
      spawnSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`], { encoding: 'utf8' });
    const { stderr } = limit(1);
    if (stderr !== '') throw new Error(stderr);
    // The process may have ended, and its limit with it.
    return { end: () => void limit('unlimited') };
  },
};

export const failingSync: OutageKind = {
  what: 'no sync succeeds',
  skip: cannotTrace,
  prepare: prepareService,
  async begin(t, _, pid) {
    const fault = await injectFault(t, pid, 'fsync,fdatasync:error=EIO');
    return { end: () => fault.lift() };
  },
};

export const failingWrite: OutageKind = {
  what: 'no write succeeds',
  skip: cannotTrace,
  prepare: prepareService,
  async begin(t, _, pid) {
    const fault = await injectFault(t, pid, 'pwrite64:error=EIO');
    return { end: () => fault.lift() };
  },
};

export const heldLock: OutageKind = {
  what: 'another process holds its write lock',
  skip: false,
  prepare: prepareService,
  async begin(t, { dataDir }) {
    const lock = await holdWriteLock(t, dataDir, 'until released');
    return {
      end() {
        lock.release();
        return lock.ended;
      },
    };
  },
};

export const outages = [fullDisk, limitedFile, failingSync, failingWrite, heldLock];
