/** Channels that choose by labels (docs/behavior.md#label-4), and labels in what they are told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobAlertData, runFinished } from '../../../src/domain/alerts/alert.ts';
import type { HealthChangeType } from '../../../src/domain/alerts/health-change.ts';
import { textOf } from '../../../src/domain/alerts/text.ts';
import { newId } from '../../../src/domain/id.ts';
import { fits, readLabels, readSelector } from '../../../src/domain/labels.ts';
import type { Run } from '../../../src/domain/runs/run.ts';
import { gatherRuns } from '../../../src/engine/alerts/digests.ts';
import { findDigests, findKnownDown } from '../../../src/store/alerts/digests.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { each } from '../../support/each.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { queuedRun } from '../../support/records/run.ts';
import { openTestStore, type TestStore } from '../../support/running/store.ts';

const url = 'http://127.0.0.1:1/';

async function change(
  { store, workspaceId }: TestStore,
  subjectId: string,
  type: HealthChangeType,
  at: number,
): Promise<void> {
  const failures = type === 'job.failed' ? 1 : 0;
  const about = { id: newId(at), type, workspaceId, subjectId, runId: null, failures };
  await insertHealthChanges(store.db, [{ ...about, data: {}, at }]);
  await expandAll({ store }, at);
}

test('a channel is alerted of a failure if its selector fits then, and of the recovery whatever the labels are by then', async (t) => {
  const setup = await openTestStore(t);
  const selectors = [
    'client=acme',
    'client!=acme',
    'env',
    '!env',
    'client=acme,env=prod',
    'client=Acme',
  ];
  const channels = await Promise.all(
    selectors.map(async (selector) => ({
      selector,
      channel: await addChannel(setup, url, { selector }),
    })),
  );
  const all = [
    null,
    { client: 'acme' },
    { client: 'acme', env: 'prod' },
    { client: 'b', env: 'x' },
  ];
  for (const [index, labels] of all.entries()) {
    const job = await setup.addJob({ labels });
    const at = 1_000_000 * (index + 1);
    await change(setup, job.id, 'job.failed', at);
    const jobs = setup.store.db.updateTable('jobs').where('id', '=', job.id);
    await jobs.set({ labels: JSON.stringify({ moved: 'away' }) }).execute();
    await change(setup, job.id, 'job.recovered', at + 600_000);
    for (const { selector, channel } of channels) {
      const about = (await deliveriesOf(setup, channel)).filter(({ createdAt }) => createdAt >= at);
      const events = fits(readLabels(labels), readSelector(selector))
        ? ['job.failed', 'job.recovered']
        : [];
      assert.deepEqual(each(about, 'event'), events, `${selector} ${JSON.stringify(labels)}`);
    }
  }
});

test('missed runs are gathered, and reminders sent, for the labels of a channel', async (t) => {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const channel = await addChannel(setup, url, { selector: 'client=acme', alsoOn: ['missed'] });
  const own = await setup.addJob({ labels: { client: 'acme' } });
  const other = await setup.addJob({ labels: { client: 'other' } });
  const runs = [own, other].map(({ id: jobId }) => {
    return { id: newId(1), jobId, workspaceId, scheduledFor: 5, lastDueAt: 5, reason: 'why' };
  });
  await store.write((tx) => gatherRuns(tx, 'missed', { runs, now: 10 }));
  const [digest] = await findDigests(store.db, 'job.missed', [channel.id]);
  assert.deepEqual(each(digest?.gathered?.first ?? [], 'jobId'), [own.id]);
  for (const { id } of [own, other]) {
    await store.db.updateTable('jobs').set({ health: 'down' }).where('id', '=', id).execute();
    const state = {
      subject_id: id,
      channel_id: channel.id,
      health: 'down',
      changed_at: 1,
      alerts: 1,
    } as const;
    await store.db
      .insertInto('alert_states')
      .values({ ...state, quiet_until: 0 })
      .execute();
  }
  const known = await findKnownDown(store.db, channel, { jobs: true });
  assert.deepEqual(each(known?.first ?? [], 'id'), [own.id]);
});

test('a channel has a selector or chosen jobs and monitors', async (t) => {
  const setup = await openTestStore(t);
  const refusal = /selector excludes chosen jobs and monitors: choose by one of them/;
  const id = newId(1);
  for (const chosen of [{ jobIds: [id] }, { monitorIds: [] }]) {
    await assert.rejects(addChannel(setup, url, { selector: 'a', ...chosen }), refusal);
  }
  await assert.rejects(
    addChannel(setup, url, { selector: 'a = b' }),
    /selector must be terms such as/,
  );
});

test('alerts and results have the labels, and texts end with them', () => {
  const labels = readLabels({ env: 'prod', client: 'acme' });
  const run: Run = { ...queuedRun(newId(1), 1), status: 'failed', finishedAt: 2 };
  const job = { id: run.jobId, name: 'backup', paused: false, labels };
  const data = jobAlertData(job, run);
  assert.deepEqual(data.job?.labels, labels);
  const timestamp = '2026-03-02T10:11:00.000Z';
  assert.equal(
    textOf({ type: 'job.failed', timestamp, data }).lines.at(-1),
    'client=acme env=prod',
  );
  const state = { activeRunId: null, health: 'down', downReason: null } as const;
  const result = runFinished({ id: 'w', name: 'w' }, { ...job, ...state }, run);
  assert.deepEqual(result.data.job?.labels, labels);
  const plain = jobAlertData({ ...job, labels: null }, run);
  assert.equal(Object.hasOwn(plain.job ?? {}, 'labels'), false);
});
