import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemCode } from '../../src/domain/errors.ts';

/** Directories of tests whose hooks run or have run. */
const left: string[] = [];
process.once('exit', removeLeft);

/**
 * Makes an empty directory that is removed after the test. Hooks run in the order in which they were added, so a daemon
 * that stops with the test may write there until the last one: the next test removes it.
 */
export function temporaryDirectory(t: Pick<TestContext, 'after'>): string {
  removeLeft();
  const directory = mkdtempSync(join(tmpdir(), 'jobd-test-'));
  t.after(() => void left.push(directory));
  return directory;
}

function removeLeft(): void {
  for (const directory of left.splice(0)) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      if (systemCode(error) !== 'ENOTEMPTY') throw error;
      // A process that was killed still ends what it wrote there.
      left.push(directory);
    }
  }
}
