import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Meter } from '../../src/domain/meter.ts';
import { addChannel, deliveriesOf } from '../support/records/channel.ts';
import { uncounted } from '../support/fakes/meter.ts';
import { dueAt, dueOnce, setupEngine } from '../support/running/engine.ts';
import { testWriter } from '../support/running/writer.ts';
import { startSink } from '../support/fakes/sink.ts';
import { until } from '../support/until.ts';

const day = 86_400_000;
/** So rare that nothing is due between the attempts that are counted. */
const rare = { scheduleType: 'period', periodSeconds: 144_000, cronExpr: null } as const;

test('the runs of a dead process are counted when they are closed', async (t) => {
  const { start, addJob, store, clock } = await setupEngine(t);
  await addJob(dueOnce);
  await addJob(dueOnce);
  clock.set(dueAt);
  const { executions } = await testWriter(store, clock, 2).claim();
  assert.equal(executions.length, 2);
  let rescued = 0;
  const meter: Meter = { ...uncounted, runsRescued: (runs) => void (rescued += runs) };
  await start({ meter });
  await until('both to be closed', () => rescued === 2);
});

test('each attempt to deliver an alert is counted by what came of it', async (t) => {
  const setup = await setupEngine(t);
  const answers = [503, 204];
  const receiver = await startSink(t, (response) => {
    response.writeHead(answers.shift() ?? 503).end();
  });
  const channel = await addChannel(setup, receiver.url);
  const isUp = [false, true];
  const target = await startSink(t, (response) => {
    response.writeHead(isUp.shift() === true ? 204 : 500).end();
  });
  const job = await setup.addJob({ ...rare, url: target.url });
  const firstDueAt = setup.clock.now() + rare.periodSeconds * 1_000;
  const counted: string[] = [];
  const meter: Meter = { ...uncounted, alertAttempted: (result) => void counted.push(result) };
  setup.clock.set(firstDueAt);
  const { wake, wakeNotifier } = await setup.start({ meter });
  const kept = async () =>
    (await deliveriesOf(setup, channel)).map(({ event, attempts }) => `${event} ${attempts}`);
  const attempts = async (...wanted: string[]) => {
    const areThere = async () => {
      wakeNotifier();
      return String(await kept()) === String(wanted);
    };
    await until('the attempts', areThere).catch(async () => assert.deepEqual(await kept(), wanted));
  };
  await attempts('job.failed 1');
  setup.clock.advance(60_000);
  await attempts('job.failed 2');
  setup.clock.set(firstDueAt + rare.periodSeconds * 1_000);
  wake();
  await setup.endedRuns(job, 2);
  await attempts('job.failed 2', 'job.recovered 1');
  setup.clock.advance(day);
  await attempts('job.failed 2', 'job.recovered 2');
  // Each is counted once it is kept.
  await until('the last to be counted', () => counted.length >= 4);
  assert.deepEqual(counted, ['failed', 'delivered', 'failed', 'given_up']);
});

test('a clock that was set is counted', async (t) => {
  const { start, clock } = await setupEngine(t);
  let steps = 0;
  const meter: Meter = { ...uncounted, clockStepped: () => void (steps += 1) };
  await start({ meter });
  clock.advance(60_000);
  await until('the step', () => steps === 1);
});
