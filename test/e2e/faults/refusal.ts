/** The expected error of a refused start. */

import assert from 'node:assert/strict';
import type { Process } from '../../support/running/executable.ts';

/**
 * Asserts that it ended by itself, with a failure and one message with the path, and never
 * listened.
 */
export async function assertRefuses(daemon: Process, path: string): Promise<void> {
  const listens = await daemon.listening.then(
    () => true,
    () => false,
  );
  assert.ok(!listens, 'it serves');
  const ending = await daemon.ended;
  assert.equal(typeof ending, 'number', String(ending));
  assert.notEqual(ending, 0);
  assert.match(
    daemon.log(),
    /^jobd: [^\n]+\n(?:  [^\n]+\n)?$/,
    'one sentence, and perhaps what to do',
  );
  assert.ok(daemon.log().includes(path), daemon.log());
}
