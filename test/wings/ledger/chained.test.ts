/** The ledger of chained jobs: one that runs after another has no due times. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listLedger } from '../../../src/wings/ledger/entries.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { setupChain } from '../../support/running/chain.ts';
import { dueAt } from '../../support/running/engine.ts';

const hour = 3_600_000;

test('a job that runs after another one has no due times to account for', async (t) => {
  const { add, start, clock, endedRuns, app, writer } = await setupChain(t);
  const target = await startSink(t);
  const first = await add('import', `${target.url}/import`);
  const then = await add('report', `${target.url}/report`, { after: { jobId: first.id } });
  const { wake } = await start();
  for (const round of [0, 1]) {
    clock.set(dueAt + round * hour);
    wake();
    await endedRuns(then, round + 1);
  }
  const after = dueAt - hour;
  const asked = { jobId: null, after, until: null, limit: 10, cursor: null };
  const { items } = await listLedger(app, writer, asked);
  const ledger = new Map(items.map((item) => [item.id, item]));
  assert.deepEqual([ledger.get(first.id)?.called, ledger.get(then.id)?.called], [2, 0]);
  for (const { unaccounted, missed } of items) assert.deepEqual([unaccounted, missed], [[], 0]);
});
