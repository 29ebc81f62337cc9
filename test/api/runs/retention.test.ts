/** Results beyond the plan's retention, seen through the API. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPlan } from '../../../src/app/accounts/accounts.ts';
import { openTestLocal } from '../../support/running/local.ts';
import type { Receipt } from '../../../src/domain/proof/receipt.ts';
import { canonicalJson } from '../../../src/receipt/canonical.ts';
import { nativeSha256 } from '../../../src/receipt/sign.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startClockedDaemon, readAnswer } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

test('a result beyond retention is gone with its receipt and idempotency key, and the receipt chain continues', async (t) => {
  const { daemon, clock, ask } = await startClockedDaemon(t);
  const sink = await startSink(t, (response, { path }) =>
    path === '/silent' ? response.destroy() : response.end('ok'),
  );
  const addJob = async (path: string): Promise<string> => {
    const input = { name: 'a', url: `${sink.url}${path}`, cronExpr: '0 0 1 1 *', retries: 0 };
    return (await ask('POST', '/jobs', input)).body.job.id;
  };
  const runOnce = async (jobId: string): Promise<string> => {
    const response = await fetch(`${daemon.url}/api/v1/jobs/${jobId}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${daemon.key}`, 'idempotency-key': 'once' },
    });
    const { status, body } = await readAnswer('POST', response);
    assert.equal(status, 202);
    const path = `/jobs/${jobId}/runs/${body.run.id}`;
    await until('the end of the run', async () => (await ask('GET', path)).body.run.finishedAt);
    return path;
  };
  const jobs = { answering: await addJob('/'), silent: await addJob('/silent') };
  const paths = [await runOnce(jobs.answering), await runOnce(jobs.silent)];
  const first: Receipt = (await ask('GET', `${paths[0]}/receipt`)).body;
  assertRefused(await ask('GET', `${paths[1]}/receipt`), 409, /no HTTP answer/, 'no answer');
  {
    await using local = await openTestLocal(daemon.dataDir, clock);
    await setPlan(local, 'default', 'free');
  }
  clock.advance(7 * day - minute);
  clock.pass(minute);
  assert.equal(await runOnce(jobs.answering), paths[0], 'the key is known as long as its run');

  await until('the runs to be gone', async () => {
    // Pruning sees a steady clock if it looks in between.
    clock.advanceBoth(11 * minute);
    const answers = await Promise.all(paths.map((path) => ask('GET', path)));
    return answers.every(({ status }) => status === 404);
  });
  for (const path of paths) {
    assertRefused(await ask('GET', path), 404, /no run/, 'the run');
    assertRefused(await ask('GET', `${path}/receipt`), 404, /no run/, 'the receipt');
  }
  for (const jobId of Object.values(jobs)) {
    const { runs, totals } = (await ask('GET', `/jobs/${jobId}/runs`)).body;
    assert.deepEqual(runs, []);
    assert.deepEqual(new Set(Object.values(totals)), new Set([0]));
  }
  const again = await runOnce(jobs.answering);
  assert.notEqual(again, paths[0]);
  const { payload } = (await ask('GET', `${again}/receipt`)).body;
  assert.equal(payload.previousReceiptSha256, nativeSha256(Buffer.from(canonicalJson(first))));
});
