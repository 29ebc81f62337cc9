/** Alerts, from the run that changes a job's health to the signed request at the receiver. */

import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { unheard } from '../../support/fakes/changes.ts';
import { cancel } from '../../../src/app/accounts/accounts.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import type { Signer } from '../../../src/engine/proof/sign.ts';
import { createWatch } from '../../../src/engine/alerts/monitor-watch.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { openLog } from '../../../src/base/log.ts';
import { updateChannel } from '../../../src/store/alerts/channels.ts';
import { addChannel, deliveriesOf, webhookSecret } from '../../support/records/channel.ts';
import { dueAt, dueOnce, setupEngine, type EngineTest } from '../../support/running/engine.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { startSink, type Sink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const hour = 60 * minute;

interface Notified {
  type: string;
  timestamp: string;
  data: { job: { name: string; status: string; downReason: string | null }; run: { id: string } };
}

const alertsTo = (sink: Sink): Notified[] =>
  sink.received.map(({ body }) => JSON.parse(body) as Notified);
const types = (sink: Sink): string[] => alertsTo(sink).map(({ type }) => type);

/**
 * A job that fails at the hours marked in the list (the last mark repeats), and a function that
 * runs it, after which its change of health is with the channels: one that is an hour late is damped.
 */
async function failing(t: TestContext, setup: EngineTest, fails: readonly boolean[]) {
  let calls = 0;
  const sink = await startSink(t, (response) => {
    response.writeHead((fails[calls++] ?? fails.at(-1)) === true ? 500 : 200).end();
  });
  const job = await setup.addJob({ ...dueOnce, name: 'backup', url: sink.url });
  let runs = 0;
  const runNext = async (wake: () => void): Promise<void> => {
    setup.clock.set(dueAt + runs * hour);
    runs += 1;
    wake();
    await setup.endedRuns(job, runs);
    await until('its change to be expanded', () => isExpanded(setup));
  };
  return { job, runNext };
}

async function isExpanded({ store }: EngineTest): Promise<boolean> {
  return (await store.db.selectFrom('outbox').select('id').execute()).length === 0;
}

/** Verifies at the time of the test's clock, which the package does not accept. */
function verifyAt(t: TestContext, body: string, headers: Record<string, string>): unknown {
  const now = Number(headers['webhook-timestamp']) * 1_000;
  t.mock.timers.enable({ apis: ['Date'], now });
  try {
    return new Webhook(webhookSecret).verify(body, headers);
  } finally {
    t.mock.timers.reset();
  }
}

test('one alert on the first failure and one on the recovery, each signed in both ways', async (t) => {
  const setup = await setupEngine(t);
  const fails = [false, true, true, false, false, true];
  const { runNext, job } = await failing(t, setup, fails);
  const receiver = await startSink(t);
  const channel = await addChannel(setup, `${receiver.url}/alerts`);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signer: Signer = {
    sign: async () => 0,
    signText: async (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
  const { wake } = await setup.start({ signer });
  for (const count of [0, 1, 1, 2, 2, 3]) {
    await runNext(wake);
    // One that was not sent yet is replaced by the next of its kind.
    await until(`${count} alerts`, () => receiver.received.length === count);
  }
  assert.deepEqual(
    alertsTo(receiver).map(({ type, data }) => [type, data.job.status, data.job.downReason]),
    [
      ['job.failed', 'down', 'http: 500'],
      ['job.recovered', 'up', null],
      ['job.failed', 'down', 'http: 500'],
    ],
  );
  const runs = await setup.runsOf(job);
  assert.deepEqual(
    alertsTo(receiver).map(({ data }) => data.run.id),
    [1, 3, 5].map((index) => runs[index]?.id),
  );
  for (const { headers, body, path, method } of receiver.received) {
    assert.deepEqual([method, path], ['POST', '/alerts']);
    assert.doesNotMatch(body, /127\.0\.0\.1|headers|notes/, 'nothing of the request is in it');
    const given = headers as Record<string, string>;
    assert.deepEqual(verifyAt(t, body, given), JSON.parse(body));
    assert.throws(() => verifyAt(t, `${body} `, given), /No matching signature/);
    const [, asymmetric = ''] = (given['webhook-signature'] ?? '').split(' v1a,');
    const signed = `${given['webhook-id']}.${given['webhook-timestamp']}.${body}`;
    const signature = Buffer.from(asymmetric, 'base64');
    const key = createPublicKey(publicKey.export({ format: 'pem', type: 'spki' }));
    assert.ok(verify(null, Buffer.from(signed), key, signature));
  }
  const kept = await until('all to be kept', async () => {
    const all = await deliveriesOf(setup, channel);
    return all.every(({ status }) => status === 'delivered') && all;
  });
  assert.deepEqual(
    new Set(kept.map(({ id }) => id)),
    new Set(receiver.received.map(({ headers }) => headers['webhook-id'])),
  );
});

test('a job that fails from its first run raises an alert; one that succeeds from the start does not', async (t) => {
  const setup = await setupEngine(t);
  const bad = await failing(t, setup, [true]);
  const good = await failing(t, setup, [false]);
  const receiver = await startSink(t);
  await addChannel(setup, receiver.url);
  const { wake } = await setup.start();
  await bad.runNext(wake);
  await good.runNext(wake);
  await until('one alert', () => receiver.received.length > 0);
  assert.deepEqual(types(receiver), ['job.failed']);
});

test('a channel is notified after its number of consecutive failures, and only then of the recovery', async (t) => {
  const setup = await setupEngine(t);
  const fails = [true, true, false, true, true, true, true, false];
  const { runNext, job } = await failing(t, setup, fails);
  const [patient, hasty, other, off] = await Promise.all([1, 2, 3, 4].map(() => startSink(t)));
  assert.ok(patient && hasty && other && off);
  await addChannel(setup, patient.url, { afterFailures: 3 });
  await addChannel(setup, hasty.url, { jobIds: [job.id] });
  await addChannel(setup, other.url, { jobIds: ['0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90'] });
  await addChannel(setup, off.url, { enabled: false });
  const { wake } = await setup.start();
  const alerts = [1, 1, 2, 3, 3, 4, 4, 6];
  for (const count of alerts) {
    await runNext(wake);
    // Changes that are alerted late come within one window, and are damped.
    await until('its alerts', () => patient.received.length + hasty.received.length >= count);
  }
  const both = ['job.failed', 'job.recovered'];
  assert.deepEqual(types(patient), both);
  assert.deepEqual(types(hasty), [...both, ...both]);
  assert.deepEqual([other.received.length, off.received.length], [0, 0]);
});

test('missed and interrupted runs raise no alert and end no failure', async (t) => {
  const setup = await setupEngine(t);
  const { runNext, job } = await failing(t, setup, [true, true]);
  const receiver = await startSink(t);
  await addChannel(setup, receiver.url);
  const { wake } = await setup.start();
  await runNext(wake);
  await until('the alert', () => receiver.received.length === 1);
  setup.clock.set(dueAt + hour + 2 * minute);
  wake();
  await setup.endedRuns(job, 2);
  assert.equal((await setup.readJob(job)).failures, 1);
  assert.deepEqual(types(receiver), ['job.failed']);
});

test('a channel down for an hour, with an engine restart: each health change arrives, in order, under one id', async (t) => {
  const setup = await setupEngine(t);
  const fails = [true, false, true];
  const { runNext } = await failing(t, setup, fails);
  let isDown = true;
  const receiver = await startSink(t, (response) => {
    response.writeHead(isDown ? 503 : 204).end();
  });
  const channel = await addChannel(setup, receiver.url);
  const attempted = (count: number) =>
    until(`${count} attempts kept`, async () => {
      const all = await deliveriesOf(setup, channel);
      return all.reduce((sum, { attempts }) => sum + attempts, 0) >= count;
    });
  const first = await setup.start();
  await runNext(first.wake);
  await attempted(1);
  for (const [index, wait] of [6_000, 34_000, 140_000, 700_000].entries()) {
    setup.clock.advance(wait);
    first.wakeNotifier();
    await attempted(index + 2);
  }
  await first[Symbol.asyncDispose]();
  const second = await setup.start();
  await runNext(second.wake);
  await runNext(second.wake);
  isDown = false;
  const arrived = () => receiver.received.filter(({ body }) => body !== '').slice(-3);
  await until('all to be delivered', async () => {
    setup.clock.advance(10 * minute);
    second.wakeNotifier();
    const all = await deliveriesOf(setup, channel);
    return all.length === 3 && all.every(({ status }) => status === 'delivered');
  });
  assert.deepEqual(
    arrived().map(({ body }) => (JSON.parse(body) as Notified).type),
    ['job.failed', 'job.recovered', 'job.failed'],
  );
  const idsOf = Map.groupBy(receiver.received, ({ body }) => body)
    .values()
    .map((requests) => new Set(requests.map(({ headers }) => headers['webhook-id'])).size);
  assert.deepEqual([...idsOf], [1, 1, 1], 'one id for each, however often it was tried');
  const warned = setup.logged.filter(({ msg }) => msg === 'alert not delivered, will try again');
  assert.ok(warned.length >= 5, 'failed deliveries are in the log');
  const delivered = await until('a line about it', () =>
    setup.logged.find(({ msg }) => msg === 'alert delivered'),
  );
  const names = { level: 30, channel: 'channel', channelType: 'webhook', job: 'backup' };
  assert.deepEqual({ ...delivered }, { ...delivered, ...names }, 'with the names of both');
});

test('a clock that is set back delays no alert for long', async (t) => {
  const setup = await setupEngine(t);
  const { runNext } = await failing(t, setup, [true]);
  const receiver = await startSink(t, (response) => response.writeHead(503).end());
  const channel = await addChannel(setup, receiver.url);
  const attempts = async () => (await deliveriesOf(setup, channel))[0]?.attempts;
  const { wake, wakeNotifier } = await setup.start();
  await runNext(wake);
  await until('the first attempt', async () => (await attempts()) === 1);
  setup.clock.advance(-hour);
  wakeNotifier();
  // Its second attempt is planned for an hour and 5 s from now.
  const isBroughtForward = async () => {
    const times = await setup.store.db.selectFrom('deliveries').select('next_attempt_at').execute();
    return times.every(
      ({ next_attempt_at: at }) => at !== null && at <= setup.clock.now() + minute,
    );
  };
  await until('an earlier time', isBroughtForward);
  setup.clock.advance(minute);
  wakeNotifier();
  await until('the second attempt', async () => (await attempts()) === 2);
});

test('after a day an undelivered alert is given up, with its reason', async (t) => {
  const setup = await setupEngine(t);
  const { runNext } = await failing(t, setup, [true]);
  const receiver = await startSink(t, (response) => response.writeHead(500).end('no\r\nroom'));
  const channel = await addChannel(setup, receiver.url);
  const { wake, wakeNotifier } = await setup.start();
  await runNext(wake);
  await until('an attempt', async () => (await deliveriesOf(setup, channel))[0]?.attempts === 1);
  setup.clock.advance(24 * hour);
  wakeNotifier();
  const ended = await until('its end', async () => {
    const [delivery] = await deliveriesOf(setup, channel);
    return delivery?.status === 'failed' && delivery;
  });
  assert.deepEqual([ended.attempts, ended.lastError], [2, 'http: 500, no room']);
  await until('a line about it', () =>
    setup.logged.some(({ msg, level }) => msg === 'alert given up' && level === 50),
  );
});

test('a slow channel with many alerts delays no other channel', async (t) => {
  const setup = await setupEngine(t);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const slow = await startSink(t, (response) => void released.then(() => response.end()));
  const quick = await startSink(t);
  const target = await startSink(t, (response) => response.writeHead(500).end());
  await addChannel(setup, slow.url);
  const jobs: Job[] = [];
  for (let index = 0; index < 20; index += 1) {
    jobs.push(await setup.addJob({ ...dueOnce, url: target.url }));
  }
  await addChannel(setup, quick.url);
  setup.clock.set(dueAt);
  await setup.start({ slots: 20, slotsPerHost: 20 });
  await until('the quick one to have all', () => quick.received.length === jobs.length);
  assert.ok(slow.received.length <= 4, `${slow.received.length} at once`);
  release();
});

test('a channel URL that resolves to a private address is refused at delivery', async (t) => {
  const setup = await setupEngine(t);
  const { runNext } = await failing(t, setup, [true]);
  const channel = await addChannel(setup, 'http://10.0.0.1/hook');
  const { wake } = await setup.start();
  await runNext(wake);
  const error = await until(
    'an attempt',
    async () => (await deliveriesOf(setup, channel))[0]?.lastError,
  );
  assert.match(error, /^blocked_address: /);
});

test('a channel that is disabled later is not notified of the recovery', async (t) => {
  const setup = await setupEngine(t);
  const { runNext } = await failing(t, setup, [true, false]);
  const receiver = await startSink(t);
  const channel = await addChannel(setup, receiver.url);
  const { wake } = await setup.start();
  await runNext(wake);
  await until('the failure', () => receiver.received.length === 1);
  await updateChannel(setup.store.db, { ...channel, enabled: false }, null);
  await runNext(wake);
  assert.equal((await deliveriesOf(setup, channel)).length, 1);
});

test('a monitor raises one alert when it goes down (missing ping or failure), and one when it is up again', async (t) => {
  const setup = await setupEngine(t);
  const { clock } = setup;
  const monitors = storedMonitors(setup, clock);
  const everyMinute = { scheduleType: 'period', cronExpr: null, periodSeconds: 60 } as const;
  const monitor = await monitors.add({ ...everyMinute, name: 'backup', graceSeconds: 0 });
  const other = await monitors.add({ name: 'other' });
  const receiver = await startSink(t);
  await addChannel(setup, `${receiver.url}/alerts`, { jobIds: [], monitorIds: [monitor.id] });
  await monitors.ping(monitor, 'success');
  await monitors.ping(other, 'fail');
  const check = createWatch({
    store: setup.store,
    clock,
    membership: alone(clock),
    log: openLog('silent'),
    changes: unheard,
  });
  for (let seconds = 0; seconds < 90; seconds += 9) {
    clock.advance(9_000);
    await check();
  }
  await setup.start();
  const heard = (count: number) =>
    until(`${count} alerts`, () => receiver.received.length === count);
  await heard(1);
  clock.advance(30_000);
  await monitors.ping(monitor, 'fail');
  await monitors.ping(monitor, 'success');
  await heard(2);
  clock.advance(30_000);
  await monitors.ping(monitor, 'fail');
  await heard(3);
  const alerts = receiver.received.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    alerts.map(({ type, data }) => [type, data.monitor.name, data.monitor.status]),
    [
      ['monitor.down', 'backup', 'down'],
      ['monitor.up', 'backup', 'up'],
      ['monitor.down', 'backup', 'down'],
    ],
  );
  for (const { body } of receiver.received) assert.ok(!body.includes(monitor.pingId), 'a secret');
});

test('jobs of an expired account are not called and raise no alert; its monitors still work and raise alerts', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store } = setup;
  const { runNext, job } = await failing(t, setup, [true, false]);
  let isDown = true;
  const receiver = await startSink(t, (response) => {
    response.writeHead(isDown ? 503 : 204).end();
  });
  const channel = await addChannel(setup, receiver.url);
  const { wake, wakeNotifier } = await setup.start();
  const monitors = storedMonitors(setup, clock);
  const everyMinute = { scheduleType: 'period', cronExpr: null, periodSeconds: 60 } as const;
  await runNext(wake);
  await until('an attempt', async () => (await deliveriesOf(setup, channel))[0]?.attempts === 1);
  const monitor = await monitors.add({ ...everyMinute, name: 'backup', graceSeconds: 0 });
  await monitors.ping(monitor, 'success');
  await cancel({ store, clock }, 'default');
  isDown = false;
  const check = createWatch({
    store,
    clock,
    membership: alone(clock),
    log: openLog('silent'),
    changes: unheard,
  });
  clock.set(dueAt + hour + 5_000);
  wake();
  await check();
  await until('the open alerts to arrive', async () => {
    wakeNotifier();
    const all = await deliveriesOf(setup, channel);
    return all.length === 2 && all.every(({ status }) => status === 'delivered');
  });
  clock.advance(30_000);
  await monitors.ping(monitor, 'success');
  await until('the recovery', async () => {
    wakeNotifier();
    return (await deliveriesOf(setup, channel)).length === 3;
  });
  const events = (await deliveriesOf(setup, channel)).map(({ event }) => event);
  assert.deepEqual(events, ['job.failed', 'monitor.down', 'monitor.up']);
  assert.equal((await setup.runsOf(job)).length, 1, 'the job was not called again');
});
