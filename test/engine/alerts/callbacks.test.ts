/** Result callbacks (docs/behavior.md#result-callbacks), from the end of a run to the signed request. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { listChannels } from '../../../src/app/alerts/channels.ts';
import { listAllDeliveries } from '../../../src/app/alerts/deliveries.ts';
import { listCallbacks } from '../../../src/app/jobs/afterwards.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { copyJob, createJob, deleteJob } from '../../../src/app/jobs/jobs.ts';
import { attemptsInFlight, callbackBounds } from '../../../src/domain/alerts/delivery.ts';
import type { Delivery, PostedResult } from '../../../src/domain/alerts/delivery.ts';
import type { Meter } from '../../../src/domain/meter.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { postResults } from '../../../src/store/alerts/callbacks.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { addChannel } from '../../support/records/channel.ts';
import { writerIn } from '../../support/records/principal.ts';
import { dueAt } from '../../support/running/engine.ts';
import { setupChain } from '../../support/running/chain.ts';
import { startSink, type Received, type Sink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';
import { uncounted } from '../../support/fakes/meter.ts';

const minute = 60_000;
const { callbacks: callbackAttempts } = attemptsInFlight;

interface Posted {
  type: string;
  data: {
    job: { id: string; name: string; status: string };
    run: { id: string; status: string; responseBody: string | null };
  };
}

const postedTo = ({ received }: Sink): Posted[] =>
  received.map(({ body }) => JSON.parse(body) as Posted);

/** Verifies at the time of the test's clock, which the package does not accept. */
function verified(
  t: TestContext,
  secret: string | undefined,
  request: Received | undefined,
): unknown {
  const headers = request?.headers as Record<string, string>;
  const now = Number(headers['webhook-timestamp']) * 1_000;
  t.mock.timers.enable({ apis: ['Date'], now });
  try {
    return new Webhook(secret ?? '').verify(request?.body ?? '', headers);
  } finally {
    t.mock.timers.reset();
  }
}

async function setupCallbacks(t: TestContext) {
  const setup = await setupChain(t);
  const { app, writer } = setup;
  const callbacksOf = async (job: Job): Promise<PostedResult[]> =>
    (await listCallbacks(app, writer, job.id, { limit: 1_000, cursor: null })).items;
  return { ...setup, callbacksOf };
}

test('one job succeeds, the next one runs, and its result is posted and verified', async (t) => {
  const { add, start, clock, app, writer, ...setup } = await setupCallbacks(t);
  const target = await startSink(t);
  const receiver = await startSink(t);
  const first = await add('import', target.url);
  const after = { jobId: first.id };
  const then = await add('report', target.url, { after, onResult: `${receiver.url}/done?n=1` });
  assert.match(then.madeSecret ?? '', /^whsec_/);
  assert.equal((await setup.readJob(then)).onResult, `${receiver.url}/done?n=1`);
  const { wake } = await start();
  clock.set(dueAt);
  wake();
  await until('the result', () => receiver.received.length === 1);
  const [run] = await setup.endedRuns(then, 1);
  const [request] = receiver.received;
  const message = verified(t, then.madeSecret, request) as Posted;
  assert.equal(message.type, 'run.finished');
  assert.deepEqual(
    [message.data.job.name, message.data.job.status, message.data.run.status],
    ['report', 'up', 'success'],
  );
  assert.deepEqual([message.data.run.id, message.data.run.responseBody], [run?.id, 'ok']);
  assert.equal(request?.path, '/done?n=1');
  assert.throws(() => verified(t, `whsec_${'A'.repeat(43)}=`, request), /No matching signature/);
  const [delivery] = await until('it to be kept', async () => {
    const all = await setup.callbacksOf(then);
    return all.every(({ status }) => status === 'delivered') && all;
  });
  assert.equal(delivery?.id, request?.headers['webhook-id']);
  const page = { limit: 10, cursor: null, name: null, idPrefix: null };
  assert.deepEqual((await listChannels(app, writer, page)).items, [], 'it is no channel');
  const all = await listAllDeliveries(app, writer, { ...page, subjectId: null });
  assert.deepEqual(all.items, []);
});

test('each final result is posted: failed, interrupted and missed ones too', async (t) => {
  const { add, start, clock, endedRuns, ask } = await setupCallbacks(t);
  let answers = false;
  const target = await startSink(t, (response) => {
    if (answers) response.writeHead(500).end('no');
  });
  const receiver = await startSink(t);
  const job = await add('job', target.url, { onResult: receiver.url });
  const stopped = await start({ drainMs: 50 });
  await ask(job);
  stopped.wake();
  await until('the call', () => target.received.length === 1);
  await stopped[Symbol.asyncDispose]();
  answers = true;
  clock.set(dueAt + 2 * minute);
  const { wake } = await start();
  await endedRuns(job, 2);
  await ask(job);
  wake();
  await endedRuns(job, 3);
  await until('three results', () => receiver.received.length === 3);
  const statuses = postedTo(receiver).map(({ data }) => data.run.status);
  assert.deepEqual(statuses.toSorted(), ['failed', 'interrupted', 'missed']);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  assert.equal(ids.size, 3);
});

test('a result that was recorded before a crash is posted once after the next start', async (t) => {
  const { add, start, clock, endedRuns, callbacksOf, store } = await setupCallbacks(t);
  const target = await startSink(t);
  let isDown = true;
  const receiver = await startSink(t, (response) => response.writeHead(isDown ? 503 : 204).end());
  const job = await add('job', target.url, { onResult: receiver.url });
  const counted: string[] = [];
  const meter: Meter = { ...uncounted, resultAttempted: (result) => void counted.push(result) };
  const before = await start({ meter });
  clock.set(dueAt);
  before.wake();
  const [run] = await endedRuns(job, 1);
  const [failed] = await until('the first attempt to be kept', async () => {
    const all = await callbacksOf(job);
    return all[0]?.attempts === 1 && all;
  });
  assert.deepEqual([failed?.runId, failed?.lastError], [run?.id, 'http: 503']);
  const waitMs = (failed?.nextAttemptAt ?? 0) - (failed?.lastAttemptAt ?? 0);
  assert.ok(waitMs >= 4_500 && waitMs <= 5_500, `the next attempt comes after ${waitMs} ms`);
  await before[Symbol.asyncDispose]();
  isDown = false;
  clock.advance(minute);
  await start({ meter });
  await until('it to arrive', async () => (await callbacksOf(job))[0]?.status === 'delivered');
  const [arrived, ...others] = await callbacksOf(job);
  assert.deepEqual([arrived?.nextAttemptAt, others], [null, []]);
  assert.deepEqual(counted, ['failed', 'delivered']);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  assert.deepEqual([receiver.received.length, ids.size], [2, 1], 'attempts share one id');
  assert.deepEqual(await payloadsOf(store, 'delivered'), [''], 'the run itself has the answer');
});

const payloadsOf = async ({ db }: Store, status: Delivery['status']): Promise<string[]> => {
  const query = db.selectFrom('deliveries').select('payload').where('status', '=', status);
  return (await query.execute()).map(({ payload }) => payload);
};

test('a callback target that is gone keeps a bounded number of rows, and delays no alert', async (t) => {
  const { add, ask, start, clock, endedRuns, callbacksOf, ...setup } = await setupCallbacks(t);
  let fails = false;
  const target = await startSink(t, (response) => response.writeHead(fails ? 500 : 200).end());
  const silent = await startSink(t, () => {});
  const ops = await startSink(t);
  await addChannel(setup, ops.url);
  const job = await add('job', target.url, { onResult: silent.url, cronExpr: '0 0 1 1 *' });
  let dropped = 0;
  const meter: Meter = { ...uncounted, resultsDropped: (results) => void (dropped += results) };
  const { wake } = await start({ meter });
  clock.advance(1_000);
  await ask(job);
  wake();
  const [run] = await endedRuns(job, 1);
  for (let more = 0; more < callbackBounds.kept + 20; more += 1) {
    await setup.store.write((tx) => postResults(tx, [run?.id ?? ''], clock.now()));
  }
  fails = true;
  clock.advance(1_000);
  await ask(job);
  wake();
  await until('the alert, while an attempt at the callback hangs', () => ops.received.length === 1);
  const kept = await callbacksOf(job);
  assert.equal(kept.length, callbackBounds.kept);
  const waiting = kept.filter(({ status }) => status === 'pending');
  assert.equal(waiting.length, callbackBounds.waiting);
  assert.deepEqual(waiting, kept.slice(0, callbackBounds.waiting), 'the newest wait');
  assert.deepEqual([...new Set(await payloadsOf(setup.store, 'failed'))], ['']);
  assert.match(kept.at(-1)?.lastError ?? '', /dropped: more than 100 results of the job waited$/);
  assert.ok(setup.logged.some(({ msg }) => msg === 'results dropped: onResult takes none'));
  assert.equal(dropped, 1, 'that of the last run; the others were not dropped by the engine');
});

test('silent targets of one workspace leave attempts for those of another', async (t) => {
  const { add, ask, start, clock, endedRuns, store, app } = await setupCallbacks(t);
  const target = await startSink(t);
  const silent = await startSink(t, () => {});
  const back = await startSink(t);
  const other = await createWorkspace(app, { name: 'other', account: 'default' });
  const yearly = { cronExpr: '0 0 1 1 *', url: target.url };
  const own = await createJob(app, writerIn(other.id), {
    ...yearly,
    name: 'own',
    onResult: back.url,
  });
  const dead: Job[] = [];
  for (let index = 0; index < 2 * callbackAttempts.mostUnanswered; index += 1) {
    dead.push(await add(`dead ${index}`, target.url, { ...yearly, onResult: silent.url }));
  }
  // None of them gave an answer last.
  await store.db.updateTable('channels').set({ unanswered: 1 }).execute();
  const { wake } = await start({ slots: 20, slotsPerHost: 20 });
  clock.advance(1_000);
  for (const job of dead) await ask(job);
  wake();
  await Promise.all(dead.map((job) => endedRuns(job, 1)));
  const half = callbackAttempts.mostUnanswered / 2;
  await until('attempts that hang', () => silent.received.length >= half);
  await ask(own);
  wake();
  await until('the result of the other workspace', () => back.received.length === 1);
  assert.equal(silent.received.length, half);
});

test('a secret is kept while the URL stays on its host, and made again when it moves', async (t) => {
  const { add, update, app, writer, start, clock, store, ...setup } = await setupCallbacks(t);
  const target = await startSink(t);
  const [here, there] = await Promise.all([startSink(t), startSink(t)]);
  const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const made = await add('job', target.url, { onResult: here.url, onResultSecret: own });
  assert.equal(made.madeSecret, undefined, 'a secret that was given is not shown');
  assert.equal((await update(made, { name: 'renamed' })).madeSecret, undefined);
  const samePlace = await update(made, { onResult: `${here.url}/other` });
  assert.equal(samePlace.madeSecret, undefined);
  const copy = await copyJob(app, writer, made.id, 'copy');
  assert.equal(copy.onResult, `${here.url}/other`);
  const { wake } = await start();
  clock.set(dueAt);
  wake();
  await until('the result', () => here.received.length === 1);
  assert.equal(here.received[0]?.path, '/other');
  verified(t, own, here.received[0]);
  await setup.ask(copy);
  wake();
  await until('that of the copy', () => here.received.length === 2);
  verified(t, own, here.received[1]);
  const moved = await update(made, { onResult: there.url });
  assert.match(moved.madeSecret ?? '', /^whsec_/);
  assert.notEqual(moved.madeSecret, own);
  const rows = await store.db.selectFrom('channels').select(['sealed']).execute();
  assert.doesNotMatch(JSON.stringify(rows), /whsec_|127\.0\.0\.1/);
  await assert.rejects(
    update(made, { onResultSecret: 'short' }),
    /^JobdError: onResultSecret must/,
  );
  const damaged = store.db.updateTable('channels').set({ sealed: 'damaged' });
  await damaged.where('callback_of', '=', made.id).execute();
  await assert.rejects(
    copyJob(app, writer, made.id, 'other'),
    /set onResultSecret of the job, then/,
  );
  const none = await update(made, { onResult: null });
  assert.equal(none.onResult, null);
  await assert.rejects(update(made, { onResultSecret: own }), /onResultSecret needs onResult/);
  await assert.rejects(
    update(made, { onResult: 'http://10.0.0.1/' }),
    /^JobdError: onResult must not|onResult/,
  );
  await deleteJob(app, writer, copy.id);
  const left = store.db.selectFrom('channels').select('id').where('deleted_at', 'is', null);
  assert.deepEqual(await left.execute(), []);
});
