/** Windows as they are read from their text (docs/behavior.md#window-2). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsIn } from '../../../src/store/accounts/windows.ts';
import { windowOf } from '../../support/records/window.ts';

test('a window that is read from another text is the same, unless it was changed', () => {
  const [first, second, third] = [1, 2, 3].map((hours) => windowOf('hold', 0, hours * 3_600_000));
  const before = holdsIn(JSON.stringify([first, second, third]));
  const changed = { ...second, name: 'another night' };
  const after = holdsIn(JSON.stringify([first, changed, third]));
  assert.deepEqual(after, [first, changed, third]);
  assert.deepEqual(
    after.map((window, index) => window === before[index]),
    [true, false, true],
  );
  assert.equal(holdsIn(JSON.stringify([third]))[0], before[2]);
});
