/** What is said of a file that cannot be read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileProblem } from '../../src/domain/file-problem.ts';

test('a file that cannot be read is described, not its error code', () => {
  const rows: [code: string, sentence: string][] = [
    ['ENOENT', 'there is no file a.txt'],
    ['ENOTDIR', 'there is no file a.txt'],
    ['EISDIR', 'a.txt is a directory, not a file'],
    ['EACCES', 'this user may not read a.txt: run it as one who may'],
    ['EIO', 'a.txt cannot be read: EIO'],
  ];
  for (const [code, sentence] of rows) {
    const error = Object.assign(new Error('failed'), { code });
    assert.equal(fileProblem('a.txt', error), sentence);
  }
});
