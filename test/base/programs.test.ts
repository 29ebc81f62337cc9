/** Programs that jobd runs to their end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runToEnd } from '../../src/base/programs.ts';

const timeoutMs = 61_234;

test('a program that is not there, or that ended, keeps no process waiting', async (t) => {
  const begun = t.mock.method(globalThis, 'setTimeout').mock;
  const ended = t.mock.method(globalThis, 'clearTimeout').mock;
  const missing = await runToEnd(['/nowhere/program'], timeoutMs);
  assert.deepEqual([missing.isOk, missing.exitCode], [false, null]);
  const spoke = [process.execPath, '-e', 'console.error("one\\n two")'];
  const said = { isOk: true, exitCode: 0, stdout: '', said: 'one; two' };
  assert.deepEqual(await runToEnd(spoke, timeoutMs), said);
  const waits = begun.calls.filter((call) => call.arguments[1] === timeoutMs);
  assert.equal(waits.length, 2);
  for (const { result } of waits) {
    assert.ok(ended.calls.some((call) => call.arguments[0] === result));
  }
});
