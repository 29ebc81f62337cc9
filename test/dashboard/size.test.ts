/** What a browser loads for the pages stays small. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { documentAt } from '../../src/api/page/document.ts';

const page = join(import.meta.dirname, '..', '..', 'dist', 'page');
const skip = existsSync(page) ? false : 'dist/page is not built';

/** Files of one load, compressed as they are sent, and how many KiB they may have. */
const rows: [what: string, files: string[], mostKiB: number][] = [
  ['script and sheet', ['app.js', 'app.css'], 82],
  ['what a look at a receipt loads more', ['receipts.js'], 18],
];
for (const [what, files, mostKiB] of rows) {
  test(`${what}: ${mostKiB} KiB at most`, { skip }, () => {
    const sizes = files.map((name) => gzipSync(readFileSync(join(page, name))).length);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= mostKiB * 1024, `${sizes.join(' + ')} = ${bytes} bytes`);
  });
}

test('the document is 2 KiB at most', () => {
  const asset = { name: `${'0'.repeat(16)}.js` };
  const assets = { script: asset, receipts: asset, sheet: asset, icon: asset, troubleIcon: asset };
  const path =
    '/jobs/0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90/runs/0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63';
  const bytes = Buffer.byteLength(documentAt(path, assets as Parameters<typeof documentAt>[1]));
  assert.ok(bytes <= 2_048, `${bytes} bytes`);
});
