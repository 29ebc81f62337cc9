/**
 * Only the call threads load undici, and only its client. The deep import needs an exact version.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../support/running/program.ts';

const root = join(import.meta.dirname, '..', '..');

/** The modules of undici that a process loads with this file of src. */
async function loadedBy(file: string): Promise<string[]> {
  const script = `
    const { cache } = process.getBuiltinModule('module').createRequire(process.cwd() + '/');
    await import(process.argv[1]);
    console.log(JSON.stringify(Object.keys(cache)));
    process.exit();`;
  const source = join(root, 'src', file);
  const { stdout, stderr } = await runProgram(
    [process.execPath, '--input-type=module', '--eval', script, source],
    { cwd: root },
  );
  assert.equal(stderr, '');
  const modules = JSON.parse(stdout) as string[];
  return modules.flatMap((path) => path.split('/node_modules/undici/').slice(1));
}

test('undici is pinned to one version', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.match(dependencies.undici, /^\d+\.\d+\.\d+$/);
});

test('the daemon does not load undici', async () => {
  assert.deepEqual(await loadedBy('serve/daemon.ts'), []);
});

test('a call thread loads the undici client without fetch, mocks and caches', async () => {
  const loaded = await loadedBy('egress/thread.ts');
  assert.ok(loaded.includes('lib/dispatcher/client.js'));
  const unwanted = /^index\.js|^lib\/(api|cache|interceptor|mock|web)\//;
  assert.deepEqual(
    loaded.filter((path) => unwanted.test(path)),
    [],
  );
});
