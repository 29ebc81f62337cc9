/** What sessions may ask, one by one and together (docs/behavior.md#limit-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { newCode, signIn } from '../../support/running/browser.ts';
import { startSteadyDaemon } from '../../support/running/daemon.ts';

test('sessions of a key ask 300 times together, sessions of links by themselves', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const given = { key: daemon.key };
  const same = [await signIn(daemon.url, given), await signIn(daemon.url, given)];
  const other = await signIn(daemon.url, { key: await daemon.newKey('read') });
  const links = [
    await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) }),
    await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) }),
  ];
  for (let count = 0; count < 150; count += 1) {
    for (const { ask } of same) assert.equal((await ask('GET', '/me')).status, 200);
  }
  const another = await signIn(daemon.url, given);
  for (const { ask } of [...same, another]) {
    assertRefused(await ask('GET', '/me'), 429, /the sessions of a key together may ask 300 times/);
  }
  assert.equal((await daemon.ask('GET', '/me')).status, 200, 'the key itself');
  assert.equal((await other.ask('GET', '/me')).status, 200, 'a session of another key');

  const [busy, quiet] = links;
  for (let count = 0; count < 300; count += 1) await busy?.ask('GET', '/me');
  assert.equal((await busy?.ask('GET', '/me'))?.status, 429);
  assert.equal((await quiet?.ask('GET', '/me'))?.status, 200);
  clock.advance(61_000);
  assert.equal((await another.ask('GET', '/me')).status, 200, 'a minute later');
});
