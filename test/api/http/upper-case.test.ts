/** Upper-case ids are accepted (RFC 9562 section 4) and returned in lower case. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { defaultWorkspaceId } from '../../support/records/keys.ts';

test('upper-case ids are accepted in bodies too, and stored in lower case', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const workspaceId = (await defaultWorkspaceId(daemon)).toUpperCase();
  const input = { name: 'A', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *', workspaceId };
  const { job } = (await ask('POST', '/jobs', input)).body;
  const id = job.id.toUpperCase();
  assert.deepEqual((await ask('GET', `/jobs/${id}`)).body, { job });
  assert.deepEqual((await ask('PATCH', `/jobs/${id}`, { ...job, id })).body, { job });

  const config = { url: 'http://127.0.0.1:1/' };
  const channel = { name: 'A', type: 'slack', config, jobIds: [id] };
  assert.deepEqual((await ask('POST', '/channels', channel)).body.channel.jobIds, [job.id]);

  const jobs = [{ key: 'a', adopt: id, ...input, workspaceId: undefined }];
  const { changes } = (await ask('POST', '/definitions', { jobs })).body;
  assert.deepEqual([changes[0].action, changes[0].id], ['adopt', job.id]);
  assert.equal((await ask('DELETE', `/jobs/${id}`)).status, 200);
});
