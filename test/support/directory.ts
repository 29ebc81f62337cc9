import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Makes an empty directory that is removed with the test. */
export function temporaryDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'jobd-test-'));
  // Hooks run in the order in which they were added, so a daemon may be writing its reserve here at this moment.
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20 }));
  return directory;
}
