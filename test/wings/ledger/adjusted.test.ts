/** The ledger of jobs whose due times are adjusted (docs/behavior.md#spread-1, docs/behavior.md#bound-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { simulateService } from '../../support/simulated/service.ts';

const hour = 3_600_000;
const day = 24 * hour;

test('every due time of a job with a spread is accounted for, whatever is changed', async (t) => {
  const service = await simulateService(t, '2026-03-28T00:00:00Z');
  const { clock } = service;
  const id = await service.addJob({ cronExpr: '30 2 * * *', spreadSeconds: 3_600 });
  const other = await service.addJob({ cronExpr: '30 2 * * *' });
  await service.serveUntil(clock.now() + 3 * day);
  await service.change(id, { spreadSeconds: 600 });
  await service.serveUntil(clock.now() + 2 * day);
  await service.act(id, 'pause');
  await service.serveUntil(clock.now() + day);
  await service.act(id, 'resume');
  await service.setClock(clock.now() + hour);
  await service.serveUntil(clock.now() + 2 * day);
  const ledgers = await ledgersIn(service.store.db, clock);
  assert.deepEqual(wrongIn(ledgers), []);
  const called = new Map(ledgers.map((ledger) => [ledger.id, ledger.called]));
  assert.deepEqual([called.get(id), called.get(other)], [7, 8]);
});

test('a job is called within its bounds, and accounted for within them', async (t) => {
  const service = await simulateService(t, '2026-03-02T00:00:00Z');
  const { clock } = service;
  const bounds = { notBefore: '2026-03-04T09:00:00Z', notAfter: '2026-03-06T08:59:59Z' };
  const daily = { cronExpr: '0 9 * * *', timezone: 'UTC', ...bounds };
  const id = await service.addJob(daily);
  await service.serveUntil(clock.now() + 10 * day);
  await service.setClock(clock.now() + hour);
  const called = async () => {
    const [ledger] = await ledgersIn(service.store.db, clock);
    assert.ok(ledger);
    assert.deepEqual(wrongIn([ledger]), []);
    return ledger.called;
  };
  assert.equal(await called(), 2);
  await service.change(id, { notAfter: '2026-03-13T09:00:00Z' });
  await service.serveUntil(clock.now() + 3 * day);
  assert.equal(await called(), 4);
});
