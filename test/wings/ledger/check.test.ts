/** jobd checks its own books once a day, and says what it found. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createLedgerCheck } from '../../../src/wings/ledger/check.ts';
import type { LedgerCheck } from '../../../src/domain/runs/ledger-check.ts';
import { findLastLedgerCheck } from '../../../src/store/runs/ledger-checks.ts';
import { simulateService } from '../../support/simulated/service.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

test('it is checked a minute after each start, and then once a day without a gap', async (t) => {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const { store, clock } = service;
  const reports: LedgerCheck[] = [];
  const step = createLedgerCheck({ store, clock }, (check) => reports.push(check));
  const settle = async (): Promise<void> => {
    for (let steps = 0; (await step()) !== Infinity; steps += 1) assert.ok(steps < 100);
  };
  await service.addJob({ cronExpr: '*/10 * * * *', timezone: 'UTC' });
  await settle();
  assert.equal(reports.length, 0, 'what is due comes first');
  clock.pass(minute);
  await settle();
  assert.deepEqual([reports.length, reports[0]?.jobs, reports[0]?.called], [1, 1, 0]);
  await service.serveUntil(clock.now() + day - minute);
  await settle();
  assert.equal(reports.length, 1);
  await service.serveUntil(clock.now() + minute);
  await settle();
  assert.deepEqual([reports.length, reports[1]?.called, reports[1]?.example], [2, 144, null]);
  // Three days without it: nothing in between is left out.
  await service.serveUntil(clock.now() + 3 * day);
  await settle();
  assert.deepEqual([reports.length, reports[2]?.called], [3, 3 * 144]);
  assert.deepEqual(await findLastLedgerCheck(store.db), reports[2]);
  // Nobody knows how a process ended: the next one looks at the same day again.
  const other = createLedgerCheck({ store, clock }, (check) => reports.push(check));
  assert.equal(await other(), Infinity);
  clock.pass(minute);
  for (let steps = 0; (await other()) !== Infinity; steps += 1) assert.ok(steps < 100);
  assert.deepEqual([reports.length, reports[3]?.called], [4, 144]);
  await service.serveUntil(clock.now() + day - minute);
  assert.equal(await other(), Infinity);
});

test('what is missing is named', async (t) => {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const { store, clock } = service;
  const reports: LedgerCheck[] = [];
  const step = createLedgerCheck({ store, clock }, (check) => reports.push(check));
  await service.addJob({ cronExpr: '*/10 * * * *', timezone: 'UTC', name: 'backup' });
  await service.serveUntil(clock.now() + 60 * minute);
  const missing = Date.parse('2026-03-02T10:30:00Z');
  await sql`delete from runs where scheduled_for = ${missing}`.execute(store.db);
  clock.pass(minute);
  for (let steps = 0; (await step()) !== Infinity; steps += 1) assert.ok(steps < 100);
  const [found, ...more] = reports;
  assert.deepEqual(more, []);
  assert.deepEqual([found?.called, found?.unaccounted, found?.unexpected], [5, 1, 0]);
  assert.equal(
    found?.example,
    'backup was due at 2026-03-02T10:30:00.000Z, and nothing says what became of it',
  );
});
