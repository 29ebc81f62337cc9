/** Characters that a person must see. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showControls } from '../../src/domain/characters.ts';

test('control characters and changes of direction become visible, other text stays', () => {
  assert.equal(
    showControls('Nightly \u202eexe.bat\u0000\u001b[2J'),
    String.raw`Nightly \u202eexe.bat\u0000\u001b[2J`,
  );
  assert.equal(showControls('a\r\nb'), String.raw`a\u000d\u000ab`);
  assert.equal(showControls('Größe 日本 🎉 "x" \\'), 'Größe 日本 🎉 "x" \\');
});
