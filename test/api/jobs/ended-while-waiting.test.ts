/** Changes that wait for a run while their key or session ends (docs/behavior.md#key-3, docs/behavior.md#session-3). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revokeKey } from '../../../src/app/accounts/keys.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { newCode, signIn } from '../../support/running/browser.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { changesWait } from '../../support/running/idle.ts';

test('a change that waits for a run is refused when its key is revoked or its session ended', async (t) => {
  const clock = fakeClock(Date.now());
  const daemon = await startTestDaemon(t, { clock });
  const { ask } = daemon;
  const sink = await startHeldSink(t);
  const { job } = (await ask('POST', '/jobs', { name: 'a', url: sink.url, cronExpr: '0 0 1 1 *' }))
    .body;
  const path = `/jobs/${job.id}`;
  await ask('POST', `${path}/run`);
  await sink.waitFor(1);

  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir) });
  const make = async () =>
    (await owner.ask('POST', '/keys', { name: 'b', permission: 'write' })).body;
  const [first, second, third] = [await make(), await make(), await make()];
  const [ofKey, ended] = [
    await signIn(daemon.url, { key: third.secret }),
    await signIn(daemon.url, { key: daemon.key }),
  ];
  const kept = ask('PATCH', path, { notes: 'kept' });
  const refused = [
    ask('PATCH', path, { name: 'changed' }, first.secret),
    ask('DELETE', path, undefined, second.secret),
    ofKey.ask('DELETE', path),
    ended.ask('PATCH', path, { name: 'changed' }),
  ];
  await changesWait(clock, 1 + refused.length);
  for (const { key } of [first, third]) await owner.ask('DELETE', `/keys/${key.id}`);
  await owner.ask('DELETE', `/sessions/${ended.id}`);
  {
    await using local = await openTestLocal(daemon.dataDir);
    await revokeKey(local, second.key.id);
  }
  for (const answer of await Promise.all(refused)) {
    assertRefused(answer, 401, /a valid key is needed/);
  }
  assert.equal(sink.waiting, 1, 'they were refused before the run ended');
  sink.release();
  assert.equal((await kept).status, 200);
  const { name, notes } = (await ask('GET', path)).body.job;
  assert.deepEqual([name, notes], ['a', 'kept']);
});
