/** Receipts in a database: what is sound, what retention leaves, and what somebody changed. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkReceipts } from '../../../src/app/operator/receipt-chains.ts';
import { rotateSigningKey } from '../../../src/app/proof/signing-keys.ts';
import { createSigner } from '../../../src/engine/proof/sign.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { testVault as vault } from '../../support/fakes/vault.ts';
import { dueAt, setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

const longestMs = 60_000;

/** A job with seven receipts, the oldest first, signed by two keys in turn. */
async function signed(t: TestContext) {
  const parts = await setupEngine(t);
  const { store, clock, start, addJob, endedRuns } = parts;
  await rotateSigningKey({ store, clock, vault });
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - 60_000);
  clock.set(dueAt);
  await start({
    signer: createSigner({ store, clock, vault, siteUrl: () => 'https://a.example' }),
  });
  for (let count = 1; count <= 7; count += 1) {
    if (count > 1) clock.advanceBoth(60_000);
    await endedRuns(job, count);
    await until('its receipt', async () => (await receiptsOf()).length === count);
    if (count === 3) await rotateSigningKey({ store, clock, vault });
  }
  async function receiptsOf() {
    return await store.db.selectFrom('receipts').selectAll().orderBy('run_id').execute();
  }
  const receipts = await receiptsOf();
  const remove = (...indexes: number[]) =>
    store.write(async (tx) => {
      const ids = indexes.map((index) => receipts[index]?.run_id ?? '');
      await tx.deleteFrom('receipts').where('run_id', 'in', ids).execute();
    });
  const replace = (index: number, receipt: string) =>
    store.write(async (tx) => {
      const runId = receipts[index]?.run_id ?? '';
      await tx.updateTable('receipts').set({ receipt }).where('run_id', '=', runId).execute();
    });
  const textOf = (index: number): string => receipts[index]?.receipt ?? '';
  return { db: store.db, store, remove, replace, textOf };
}

test('sound receipts are all checked, also of a key that was replaced', async (t) => {
  const { db, remove } = await signed(t);
  assert.deepEqual(await checkReceipts(db, longestMs), { receipts: 7, checked: 7, problem: null });
  await remove(0, 1);
  const later = await checkReceipts(db, longestMs);
  assert.deepEqual(later, { receipts: 5, checked: 5, problem: null }, 'the oldest may be pruned');
  const none = await checkReceipts(db, 0);
  assert.deepEqual(none, { receipts: 5, checked: 0, problem: null }, 'no time');
});

test('a receipt that was changed, exchanged or repeated is found', async (t) => {
  const { db, replace, textOf } = await signed(t);
  const rows: [string, RegExp][] = [
    [textOf(4).replace('"httpStatus":200', '"httpStatus":500'), /is not valid: its signature/],
    [textOf(5), /is that of another run/],
    ['{}', /is not valid/],
  ];
  for (const [text, words] of rows) {
    await replace(4, text);
    assert.match((await checkReceipts(db, longestMs)).problem ?? '', words);
  }
  await replace(4, textOf(4));
  assert.equal((await checkReceipts(db, longestMs)).problem, null);
});

test('receipts that are missing in the middle and at the end are found', async (t) => {
  const { db, remove } = await signed(t);
  await remove(2, 4, 6);
  assert.match((await checkReceipts(db, longestMs)).problem ?? '', /the chain .* has gaps/);
});

test('a key that is not the one of its id is found', async (t) => {
  const { db, store } = await signed(t);
  const keys = await db.selectFrom('signing_keys').select(['key_id', 'public_key']).execute();
  await store.write(async (tx) => {
    const other = keys[1]?.public_key ?? '';
    const change = tx.updateTable('signing_keys').set({ public_key: other });
    await change.where('key_id', '=', keys[0]?.key_id ?? '').execute();
  });
  assert.match((await checkReceipts(db, longestMs)).problem ?? '', /not the one that its id names/);
});
