/** The recipe of docs/receipts.md, exactly as written: verifying a receipt with openssl alone. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { signedBytes } from '../../src/receipt/verify.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { key, receipt } from '../support/hostile/receipt-mutations.ts';
import { fileOf } from '../support/records/receipts.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'receipts.md'), 'utf8');
const recipe = /## With openssl alone[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

const missing = ['openssl', 'jq', 'base64', 'tr'].filter(
  (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0,
);
const skip = missing.length === 0 ? false : `this machine has no ${missing.join(', no ')}`;

test('openssl and jq alone accept a receipt and refuse an edited one', { skip }, (t) => {
  assert.match(recipe, /openssl pkeyutl -verify/);
  const cwd = temporaryDirectory(t);
  const follow = (given: object): { exitCode: number | null; stdout: string } => {
    writeFileSync(join(cwd, 'receipt.json'), fileOf(given));
    writeFileSync(join(cwd, 'key.json'), key);
    const options = { cwd, encoding: 'utf8', timeout: 30_000 } as const;
    const { status, stdout } = spawnSync('sh', ['-eu', '-c', recipe], options);
    return { exitCode: status, stdout };
  };
  assert.deepEqual(follow(receipt), {
    exitCode: 0,
    stdout: 'Signature Verified Successfully\n',
  });
  assert.deepEqual(readFileSync(join(cwd, 'signed.bin')), Buffer.from(signedBytes(receipt)));

  const edited = { ...receipt, payload: { ...receipt.payload, httpStatus: 201 } };
  const refused = follow(edited);
  assert.notEqual(refused.exitCode, 0);
  assert.doesNotMatch(refused.stdout, /Verified Successfully/);
  t.diagnostic(execFileSync('openssl', ['version'], { encoding: 'utf8' }).trim());
});
