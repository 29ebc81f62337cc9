/** A job whose sealed value was damaged: told by name, and made sound again through the API. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLocal } from '../../src/daemon.ts';
import { startTestDaemon } from '../support/daemon.ts';

test('a damaged job is named, can be set anew or deleted, and disturbs no other', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const job = { name: 'a', url: 'http://127.0.0.1:1/', method: 'POST', body: 'canary' };
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push((await ask('POST', '/jobs', job)).body.job.id);
  const [sound = '', mended = '', deleted = ''] = ids;
  await using local = await openLocal(daemon.dataDir);
  for (const id of [mended, deleted]) {
    const sealed = `v1.${'0'.repeat(16)}.canary`;
    await local.store.db.updateTable('jobs').set({ sealed }).where('id', '=', id).execute();
  }
  const refused = await ask('GET', `/jobs/${mended}`);
  assert.equal(refused.status, 503);
  const words = `what is sealed at jobs/${mended} cannot be opened: the master key 0{16} is not here`;
  assert.match(refused.body.error, new RegExp(`^${words}$`));
  assert.equal((await ask('PATCH', `/jobs/${mended}`, { notes: 'x' })).status, 503);
  assert.equal((await ask('GET', '/jobs')).status, 503);
  assert.equal((await ask('GET', `/jobs/${sound}`)).body.job.body, 'canary');
  assert.equal((await ask('GET', `/jobs/${mended}/runs`)).status, 200);

  const anew = await ask('PATCH', `/jobs/${mended}`, { headers: { 'X-A': 'b' }, body: 'new' });
  assert.deepEqual(
    [anew.status, anew.body.job.body, anew.body.job.headerNames],
    [200, 'new', ['X-A']],
  );
  assert.equal((await ask('DELETE', `/jobs/${deleted}`)).status, 200);
  assert.equal((await ask('GET', '/jobs')).body.jobs.length, 2);
});
