import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileProblem, systemProblem } from '../../src/domain/file-problem.ts';

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

function refused(fields: object): string {
  return systemProblem(Object.assign(new Error('words of the system'), fields));
}

test('an error of the system says what is wrong with which file, and what to do', () => {
  const full = { code: 'ENOSPC', syscall: 'write', path: '/data/x' };
  assert.equal(refused(full), '/data/x: the disk is full: free space (ENOSPC)');
  const files = { code: 'EMFILE', syscall: 'spawn' };
  assert.match(refused(files), /^spawn: this process has too many open files: .* \(EMFILE\)$/);
  assert.equal(refused({ code: 'EIO' }), 'words of the system');
});
