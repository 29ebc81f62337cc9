/** A store that cannot write: nothing of a request is kept, and nobody is told otherwise. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../support/answer.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { holdWriteLock } from '../support/write-lock.ts';

test('while another process holds the store, writing is 503 and reading goes on', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const lock = await holdWriteLock(t, dataDir, 'until released');
  const job = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
  assertRefused(await ask('POST', '/jobs', job), 503, /the store cannot be used now/, 'create');
  assert.deepEqual((await ask('GET', '/jobs')).body, { jobs: [], nextCursor: null });
  lock.release();
  await lock.ended;
  const made = await ask('POST', '/jobs', job);
  assert.equal(made.status, 201);
  const { jobs } = (await ask('GET', '/jobs')).body;
  assert.deepEqual(jobs, [made.body.job]);
});
