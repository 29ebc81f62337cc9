/** What figures were taken on. */

import { availableParallelism, cpus, tmpdir } from 'node:os';
import { fileSystemOf } from './processes.ts';

/** The machine, as far as the figures depend on it. */
export function machine() {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    fileSystem: fileSystemOf(tmpdir()),
  };
}

/** Machine and options as one line for people, and a warning where syncs are free. */
export function describeSurroundings(
  on: ReturnType<typeof machine> & Record<string, string | number>,
): string {
  const line = Object.entries(on).map(([name, value]) => `${name} ${value}`);
  const warning = 'TMPDIR is on tmpfs, where a sync costs nothing\n';
  return `${line.join(', ')}\n${on.fileSystem === 'tmpfs' ? warning : ''}`;
}
