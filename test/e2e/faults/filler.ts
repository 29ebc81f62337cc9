/** Another program on the disk: it takes all space, and whatever becomes free later, until it is told to stop. */

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { TestContext } from 'node:test';

const lookEveryMs = 50;
const mib = 1024 ** 2;
const chunk = Buffer.alloc(mib, 1);

export interface Filler {
  /** What it has taken so far, in bytes. */
  taken(): number;
  /** Gives everything back. */
  stop(): void;
}

/** Starts to fill the disk with a file at this path; without `isGreedy`, it leaves what becomes free later. */
export function startFiller(
  t: TestContext,
  path: string,
  { isGreedy } = { isGreedy: true },
): Filler {
  const file = openSync(path, 'w');
  let bytes = 0;
  let isOver = false;
  const fill = (): void => {
    for (let size = mib; size >= 4_096;) {
      try {
        const written = writeSync(file, chunk, 0, size, bytes);
        bytes += written;
        if (written < size) size = Math.floor(size / 2);
      } catch {
        size = Math.floor(size / 2);
      }
    }
  };
  fill();
  const timer = isGreedy ? setInterval(fill, lookEveryMs) : undefined;
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    closeSync(file);
    rmSync(path, { force: true });
  };
  t.after(stop);
  return { taken: () => bytes, stop };
}
