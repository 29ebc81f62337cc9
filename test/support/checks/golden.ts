/** Output that is kept in a file and compared whole. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/** Asserts that the file has this text; `UPDATE_GOLDENS=1` rewrites the file instead. */
export function assertGolden(file: string, text: string): void {
  if (process.env['UPDATE_GOLDENS']) writeFileSync(file, text);
  const advice = `${file} is another text: UPDATE_GOLDENS=1 writes it anew, read its diff`;
  assert.equal(text, readFileSync(file, 'utf8'), advice);
}
