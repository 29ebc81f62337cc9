/** What went wrong, once each, over HTTP (docs/behavior.md#trouble-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TroubleRow } from '../../../src/api/overview/contract.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

test('an outage is one row whatever many jobs missed, and what a job had is another', async (t) => {
  const { clock, ask } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const trouble = async (query = ''): Promise<TroubleRow[]> =>
    (await ask('GET', `/overview/trouble${query}`)).body.trouble;
  assert.deepEqual((await ask('GET', '/overview/trouble')).body, {
    trouble: [],
    nextCursor: null,
    isPartial: false,
  });
  const url = 'http://127.0.0.1:1/';
  const never = { url, cronExpr: '0 0 1 1 *' };
  const { id } = (await ask('POST', '/jobs', { ...never, name: 'broken' })).body.job;
  await ask('POST', `/jobs/${id}/run`);
  const [broken] = await until('a failure', async () => {
    const rows = await trouble();
    return rows.length === 1 && rows;
  });
  assert.deepEqual(
    { ...broken, since: null, id: null, last: broken?.last.error },
    {
      id: null,
      kind: 'job',
      from: '2026-03-02T10:00:00.000Z',
      until: '2026-03-02T10:00:00.000Z',
      dueFrom: '2026-03-02T10:00:00.000Z',
      dueUntil: '2026-03-02T10:00:00.000Z',
      failed: 1,
      interrupted: 0,
      missed: 0,
      jobs: null,
      last: broken?.last.error,
      now: 'down',
      since: null,
    },
  );
  assert.match(broken?.since ?? '', /^2026-03-02T10:00:0/);
  for (const name of ['a', 'b', 'c'])
    await ask('POST', '/jobs', { url, scheduleType: 'period', periodSeconds: 600, name });
  clock.advance(25 * 60_000);
  const [outage, ...rest] = await until('an outage', async () => {
    const rows = await trouble('?since=2026-03-02T10:01:00Z');
    return rows[0]?.jobs === 3 && rows;
  });
  const { kind, from, until: end, failed, missed, last, now } = outage ?? assert.fail();
  assert.deepEqual([kind, rest.length, failed, missed, now], ['outage', 0, 0, 6, null]);
  assert.equal(last.why?.reason, 'clock');
  assert.deepEqual([from, end], ['2026-03-02T10:00:00.000Z', '2026-03-02T10:25:00.000Z']);
  assert.deepEqual(
    (await trouble('?kind=outage')).map((row) => row.id),
    [outage?.id],
  );
  assert.deepEqual(
    (await trouble('?kind=job')).map((row) => row.id),
    [broken?.id],
  );
  const { body } = await ask('GET', '/overview/trouble?limit=1');
  assert.deepEqual([body.trouble.length, body.isPartial], [1, false]);
  const next = await trouble(`?limit=1&cursor=${encodeURIComponent(body.nextCursor)}`);
  assert.deepEqual([body.trouble[0].id, next[0]?.id], [outage?.id, broken?.id]);
  assertRefused(await ask('GET', '/overview/trouble?kind=all'), 400, /kind/);
  assertRefused(await ask('GET', '/overview/trouble?since=yesterday'), 400, /since/);
});
