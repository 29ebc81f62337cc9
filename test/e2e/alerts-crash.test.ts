/**
 * A daemon is killed again and again while jobs change and receivers are down. Calm jobs do not
 * change before the window after their last alert is over: each of their health changes raises an
 * alert, under one id, and nothing else does. Jobs that flap raise alternating alerts, at most one
 * in each life of the daemon, and the last one has their last state. The stored runs are the truth
 * that alerts are compared with.
 *
 *   JOBD_CRASH_ROUNDS=200   deaths (8)
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { openTestLocal } from '../support/running/local.ts';
import type { Local } from '../../src/serve/local-store.ts';
import { listAttempts } from '../../src/store/alerts/attempts.ts';
import type { Db } from '../../src/store/database/store.ts';
import { everyRun, insertQueuedRun } from '../../src/store/runs/runs.ts';
import { webhookSecret } from '../support/records/channel.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged, startServe } from '../support/running/executable.ts';
import { prepareStore } from '../support/running/prepare.ts';
import { repeatedBy, rollDice } from '../support/dice.ts';
import { queuedRun } from '../support/records/run.ts';
import { startSink } from '../support/fakes/sink.ts';
import { until } from '../support/until.ts';
import { changesIn, wrongIn, wrongOfFlapping } from '../support/checks/alert-truth.ts';
import type { EndedRun, Heard } from '../support/checks/alert-truth.ts';

const rounds = Number(process.env['JOBD_CRASH_ROUNDS'] ?? 8);
const calmJobs = 12;
const flappingJobs = 3;
/** Longer than any window between two alerts. */
const aWindowMs = 400_000;
/** A channel for each of these numbers of consecutive failures. */
const thresholds = [1, 2];

/** How the receivers answer: they are down for whole rounds. */
type Manner = 'up' | 'refusing' | 'breaking' | 'late';

/** Creates the jobs, the channels, and the servers for both. */
async function setup(t: TestContext, random: () => number) {
  const dataDir = join(temporaryDirectory(t), 'data');
  const target = await startSink(t, (response) => {
    response.writeHead(random() < 0.5 ? 500 : 200).end();
  });
  const heard = new Map<string, Heard[]>();
  const state: { manner: Manner } = { manner: 'up' };
  const receiver = await startSink(t, (response, { path, body, headers }) => {
    const { type, data } = new Webhook(webhookSecret).verify(
      body,
      headers as Record<string, string>,
    ) as { type: Heard['type']; data: { job: { id: string }; run: { id: string } } };
    const { manner } = state;
    const isAcknowledged = manner === 'up' || manner === 'late';
    const webhookId = String(headers['webhook-id']);
    const one = { type, jobId: data.job.id, runId: data.run.id, webhookId, isAcknowledged };
    heard.set(path, [...(heard.get(path) ?? []), one]);
    if (manner === 'breaking') response.destroy();
    else {
      const answer = () => response.writeHead(isAcknowledged ? 204 : 503).end();
      void setTimeout(manner === 'late' ? 300 : 0).then(answer);
    }
  });
  const [calm, flapping] = await prepareStore(dataDir, async ({ addJob, addWebhook }) => {
    for (const afterFailures of thresholds) {
      await addWebhook(`${receiver.url}/${afterFailures}`, { afterFailures });
    }
    const addJobs = async (count: number): Promise<string[]> => {
      const jobIds: string[] = [];
      for (let made = 0; made < count; made += 1) {
        const job = { name: `job ${made}`, url: target.url, cronExpr: '0 0 29 2 *' };
        jobIds.push((await addJob(job, Date.now())).id);
      }
      return jobIds;
    };
    return [await addJobs(calmJobs), await addJobs(flappingJobs)];
  });
  const local = await openTestLocal(dataDir);
  t.after(() => local[Symbol.asyncDispose]());
  return { dataDir, local, calm, flapping, heard, state, random, receiver };
}

type Campaign = Awaited<ReturnType<typeof setup>>;

/** Ends the alert window of this job, or of all jobs. */
async function endWindows(tx: Db, jobId?: string): Promise<void> {
  const all = tx.updateTable('alert_states').set((of) => ({
    changed_at: of('changed_at', '-', aWindowMs),
    quiet_until: of('quiet_until', '-', aWindowMs),
    due_at: of('due_at', '-', aWindowMs),
  }));
  await (jobId === undefined ? all : all.where('subject_id', '=', jobId)).execute();
}

/** Makes waiting deliveries due, so that the test does not wait an hour. */
async function passTime({ store }: Local): Promise<void> {
  const now = Date.now();
  await store.write(async (tx) => {
    await endWindows(tx);
    await tx
      .updateTable('deliveries')
      .set({ next_attempt_at: now })
      .where('next_attempt_at', '>', now)
      .execute();
    await tx
      .updateTable('channels')
      .set({ next_delivery_at: now, backed_off_until: null })
      .where('next_delivery_at', '>', now)
      .execute();
  });
}

/** Runs of a job that have not ended. */
async function openRuns(tx: Db, jobId: string): Promise<number> {
  const runs = tx.selectFrom(everyRun).select('id').where('job_id', '=', jobId);
  return (await runs.where('status', 'in', ['queued', 'running']).execute()).length;
}

/**
 * Whether a job is settled: no run, no unprocessed health change, and no alert that the next one
 * would replace.
 */
async function isIdle(tx: Db, jobId: string): Promise<boolean> {
  const outbox = await tx
    .selectFrom('outbox')
    .select('id')
    .where('subject_id', '=', jobId)
    .execute();
  const untried = await tx
    .selectFrom('deliveries')
    .select('channel_id')
    .where('subject_id', '=', jobId)
    .where('status', '=', 'pending')
    .where('attempts', '=', 0)
    .execute();
  const isReplacing = new Set(untried.map((row) => row.channel_id)).size < untried.length;
  return outbox.length === 0 && !isReplacing && (await openRuns(tx, jobId)) === 0;
}

let lastMoment = 0;

/** The time now, later than any before: a job has one manual run at a moment. */
function nextMoment(): number {
  lastMoment = Math.max(Date.now(), lastMoment + 1);
  return lastMoment;
}

/**
 * Requests runs until told to stop: of a calm job only when it is settled, of the others at any
 * time.
 */
async function askForRuns(
  { local, calm, flapping, random }: Campaign,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    await local.store.write(async (tx) => {
      for (const jobId of calm) {
        if (random() < 0.7 || !(await isIdle(tx, jobId))) continue;
        await endWindows(tx, jobId);
        await insertQueuedRun(tx, queuedRun(jobId, nextMoment()), null);
      }
      // Few waiting runs, so that calm jobs get their turn.
      for (const jobId of flapping) {
        if ((await openRuns(tx, jobId)) > 1) continue;
        await insertQueuedRun(tx, queuedRun(jobId, nextMoment()), null);
      }
    });
    await setTimeout(20);
  }
}

function start(t: TestContext, { dataDir }: Campaign) {
  const args = ['--data', dataDir, '--allow-target', '127.0.0.1/32:*', '--log-level', 'warn'];
  return startServe(t, args, { cwd: join(dataDir, '..') });
}

async function countEnded({ store }: Local): Promise<number> {
  const ended = store.db.selectFrom('runs').where('status', 'in', ['success', 'failed']);
  const { count } = await ended
    .select((of) => of.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** One life of the daemon, ended by a kill at a random moment. */
async function crash(t: TestContext, campaign: Campaign): Promise<void> {
  const { random, state, local } = campaign;
  const manners: Manner[] = ['up', 'up', 'late', 'refusing', 'breaking'];
  state.manner = manners[Math.floor(random() * manners.length)] ?? 'up';
  await passTime(local);
  const daemon = start(t, campaign);
  let isOver = false;
  const asking = askForRuns(campaign, () => isOver);
  // One in five dies before or as it listens, the others after some of the work.
  if (random() > 0.2) {
    const goal = (await countEnded(local)) + 1 + random() * 40;
    await daemon.listening;
    await until('ends of runs', async () => (await countEnded(local)) >= goal);
    await setTimeout(random() * 100);
  } else {
    await setTimeout(random() * 1_200);
  }
  await daemon.stop('SIGKILL');
  isOver = true;
  await asking;
}

/** Lets everything end with the receivers up. */
async function settle(t: TestContext, campaign: Campaign): Promise<void> {
  const { state, local } = campaign;
  const { db } = local.store;
  state.manner = 'up';
  await passTime(local);
  const daemon = start(t, campaign);
  await daemon.listening;
  let isPassed = false;
  const isEmpty = async (): Promise<boolean> => {
    const open = db.selectFrom(everyRun).select('id').where('status', 'in', ['queued', 'running']);
    const pending = db.selectFrom('deliveries').select('id').where('status', '=', 'pending');
    const outbox = db.selectFrom('outbox').select('id');
    const left = [await open.execute(), await outbox.execute(), await pending.execute()];
    if (left.some((rows) => rows.length > 0)) return false;
    // Delayed alerts are released once more, when all runs are over.
    if (!isPassed) await passTime(local);
    isPassed = true;
    const held = db.selectFrom('alert_states').select('held').where('held', 'is not', null);
    return (await held.execute()).length === 0;
  };
  await until('everything to be delivered', isEmpty);
  assert.equal(await daemon.stop('SIGTERM'), 0, daemon.log());
}

async function endedRuns({ store }: Local): Promise<EndedRun[]> {
  const rows = await store.db
    .selectFrom('runs')
    .select(['id', 'job_id', 'status'])
    .where('status', 'in', ['success', 'failed'])
    .orderBy('started_at')
    .orderBy('finished_at')
    .execute();
  return rows.map(({ id, job_id: jobId, status }) => ({
    id,
    jobId,
    status: status === 'success' ? 'success' : 'failed',
  }));
}

/** Every settled attempt is a row, and the last one is the one that arrived. */
async function wrongAttempts({ store }: Local): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id, attempts, status } of await store.db
    .selectFrom('deliveries')
    .selectAll()
    .execute()) {
    const rows = await listAttempts(store.db, id);
    const numbers = rows.map(({ number }) => number).join();
    const counted = Array.from({ length: attempts }, (_, index) => index + 1).join();
    const errors = rows.map(({ error }) => error);
    const isRight = errors.pop() === null && errors.every((error) => error !== null);
    if (status !== 'delivered' || numbers !== counted || !isRight) {
      wrong.push(`delivery ${id} is ${status} after ${attempts}, with rows ${numbers}`);
    }
  }
  return wrong;
}

test(
  'a daemon killed at random moments sends each health change of calm jobs at least once, under one id, and the last one of others',
  { skip: notPackaged },
  async (t) => {
    const campaign = await setup(t, rollDice(t));
    for (let round = 0; round < rounds; round += 1) await crash(t, campaign);
    await settle(t, campaign);
    const { local, heard, receiver } = campaign;
    const runs = await endedRuns(local);
    const isCalm = ({ jobId }: { jobId: string }): boolean => campaign.calm.includes(jobId);
    let changes = 0;
    let dampedChanges = 0;
    for (const threshold of thresholds) {
      const expected = changesIn(runs, threshold);
      const all = heard.get(`/${threshold}`) ?? [];
      const what = `channel after ${threshold}, ${repeatedBy}`;
      const calm = expected.filter(isCalm);
      changes += calm.length;
      assert.deepEqual(wrongIn(calm, all.filter(isCalm)), [], what);
      // The last alert is the last recovery, however many failures preceded it.
      const damped = changesIn(runs, threshold, 1).filter((change) => !isCalm(change));
      dampedChanges += damped.length;
      const alerted = all.filter((one) => !isCalm(one));
      assert.deepEqual(wrongOfFlapping(damped, alerted), [], what);
    }
    assert.deepEqual(await wrongAttempts(local), [], repeatedBy);
    const ofJobs = local.store.db.selectFrom('deliveries').select('subject_id as jobId');
    const deliveries = await ofJobs.execute();
    assert.equal(deliveries.filter(isCalm).length, changes, 'no delivery but of a change');
    const damped = deliveries.length - changes;
    // At most one per life, job and channel, and in the last life one more for a delayed alert.
    const most = (rounds + 2) * flappingJobs * thresholds.length;
    assert.ok(damped <= most, `${damped} alerts of jobs that flap`);
    t.diagnostic(
      `${runs.length} runs, ${changes} changes, ${receiver.received.length} requests, ` +
        `${damped} alerts of ${dampedChanges} changes of jobs that flap`,
    );
    assert.ok(changes > rounds, `only ${changes} changes`);
  },
);
