/** What a channel covers: chosen jobs and monitors, reminders; and what its deliveries are about. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLocal } from '../../support/running/local.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const unknown = '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90';

interface Shown {
  subject: { type: string; id: string; name: string } | null;
}

const subjects = ({ deliveries }: { deliveries: Shown[] }) =>
  deliveries.map(({ subject }) => subject);

test('a channel serves chosen jobs and monitors; a new one for chosen jobs serves no monitors', async (t) => {
  const { ask } = await startTestDaemon(t);
  const schedule = { scheduleType: 'period', periodSeconds: 3_600 };
  const job = (await ask('POST', '/jobs', { name: 'j', url: 'https://example.com/' })).body.job;
  const made = await ask('POST', '/monitors', { name: 'm', ...schedule });
  const { monitor } = made.body;
  const config = { url: 'https://example.com/' };
  const create = async (fields: object) => {
    const { status, body } = await ask('POST', '/channels', {
      name: 'c',
      type: 'slack',
      config,
      ...fields,
    });
    assert.equal(status, 201, body.error);
    return body.channel;
  };
  const ofJob = await create({ jobIds: [job.id] });
  assert.deepEqual([ofJob.jobIds, ofJob.monitorIds], [[job.id], []]);
  const more = { alsoOn: ['interrupted', 'missed'], remindEverySeconds: 900 };
  const ofMonitor = await create({ jobIds: [], monitorIds: [monitor.id.toUpperCase()], ...more });
  assert.deepEqual([ofMonitor.jobIds, ofMonitor.monitorIds], [[], [monitor.id]]);
  assert.deepEqual(ofMonitor.alsoOn, ['missed', 'interrupted']);
  const path = `/channels/${ofMonitor.id}`;
  const mixed = await ask('PATCH', path, { jobIds: [monitor.id] });
  assertRefused(mixed, 400, /^jobIds must be ids of jobs of the workspace, got/, 'a monitor');
  const changes = { monitorIds: null, alsoOn: [], remindEverySeconds: null };
  const changed = await ask('PATCH', path, changes);
  assert.deepEqual(changed.body, { channel: { ...ofMonitor, ...changes } });
  const back = { ...changed.body.channel, monitorIds: [monitor.id] };
  await ask('PATCH', path, back);
  await ask('DELETE', `/monitors/${monitor.id}`);
  const kept = await ask('PATCH', path, { monitorIds: [monitor.id], name: 'd' });
  assert.deepEqual(kept.body.channel.monitorIds, [monitor.id], 'one that is gone may stay');
});

test('deliveries say what they are about, and can be asked for by job or monitor', async (t) => {
  const { ask } = await startTestDaemon(t);
  const sink = await startSink(t);
  const input = { name: 'ops', type: 'webhook', config: { url: sink.url } };
  const { id } = (await ask('POST', '/channels', input)).body.channel;
  const monitors = [];
  for (const name of ['first', 'second']) {
    const fields = { name, scheduleType: 'period', periodSeconds: 3_600 };
    const { monitor } = (await ask('POST', '/monitors', fields)).body;
    assert.equal((await fetch(`${monitor.pingUrl}/fail`, { method: 'POST' })).status, 200);
    monitors.push(monitor);
  }
  await ask('POST', `/channels/${id}/test`);
  const [first, second] = monitors;
  const path = `/channels/${id}/deliveries`;
  const all = await until('three deliveries', async () => {
    const { deliveries } = (await ask('GET', path)).body;
    return deliveries.length === 3 && deliveries;
  });
  const names = new Set(subjects({ deliveries: all }).map((subject) => subject?.name));
  assert.deepEqual(names, new Set(['first', 'second', undefined]));
  const asked = await ask('GET', `${path}?monitorId=${first.id.toUpperCase()}`);
  const about = { type: 'monitor', id: first.id, name: 'first' };
  assert.deepEqual(subjects(asked.body), [about]);
  assert.deepEqual((await ask('GET', `${path}?jobId=${unknown}`)).body.deliveries, []);
  const both = await ask('GET', `${path}?jobId=${unknown}&monitorId=${second.id}`);
  assertRefused(both, 400, /^give either jobId or monitorId, not both$/, 'both');
});

test('a reminder is planned when a channel gets an interval or is enabled, and dropped when it is disabled', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const input = { name: 'a', type: 'slack', config: { url: 'https://example.com/' } };
  const { id } = (await ask('POST', '/channels', input)).body.channel;
  await using local = await openTestLocal(dataDir);
  const planned = async (): Promise<(number | null)[]> => {
    const rows = await local.store.db.selectFrom('digests').select('due_at').execute();
    return rows.map((row) => row.due_at);
  };
  await ask('PATCH', `/channels/${id}`, { name: 'b' });
  assert.deepEqual(await planned(), []);
  const before = Date.now();
  await ask('PATCH', `/channels/${id}`, { remindEverySeconds: 900 });
  const [dueAt] = await planned();
  assert.ok(dueAt !== null && dueAt !== undefined && dueAt >= before + 900_000);
  await ask('PATCH', `/channels/${id}`, { enabled: false });
  assert.deepEqual(await planned(), []);
  await ask('PATCH', `/channels/${id}`, { enabled: true });
  assert.equal((await planned()).length, 1);
});
