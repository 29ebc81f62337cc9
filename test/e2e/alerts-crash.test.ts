/**
 * A daemon that is killed again and again while jobs flip and receivers are down: each flip is told, under one id,
 * and nothing else is. The truth is the runs as they are stored.
 *
 *   JOBD_CRASH_ROUNDS=200   deaths (12)
 *   JOBD_CRASH_SEED=42      the seed of a campaign that failed; it is printed (a new one each time)
 */

import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { openLocal } from '../../src/daemon.ts';
import type { Local } from '../../src/daemon.ts';
import { defineChannel } from '../../src/domain/channel-input.ts';
import { newId } from '../../src/domain/id.ts';
import { sealConfig } from '../../src/domain/sealed-config.ts';
import { insertChannel } from '../../src/store/channels.ts';
import { listAttempts } from '../../src/store/deliveries.ts';
import { activeMasterKeyId } from '../../src/store/master-keys.ts';
import { insertQueuedRun } from '../../src/store/runs.ts';
import { webhookSecret } from '../support/channel.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged, startServe } from '../support/executable.ts';
import { prepareStore } from '../support/prepare.ts';
import { seededRandom } from '../support/random.ts';
import { queuedRun } from '../support/run.ts';
import { startSink } from '../support/sink.ts';
import { until } from '../support/until.ts';
import { flipsIn, wrongIn } from './crash/alert-truth.ts';
import type { EndedRun, Heard } from './crash/alert-truth.ts';

const rounds = Number(process.env['JOBD_CRASH_ROUNDS'] ?? 12);
const seed = Number(process.env['JOBD_CRASH_SEED'] ?? randomInt(2 ** 31));
const jobCount = 12;
/** A channel for each of these, told after so many failures in a row. */
const thresholds = [1, 2];

/** How the receivers treat what comes: they are down for whole rounds. */
type Manner = 'up' | 'refusing' | 'breaking' | 'late';

/** Makes the jobs and the channels, and what listens for both. */
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
  const jobIds: string[] = [];
  await prepareStore(dataDir, async ({ addJob }) => {
    for (let made = 0; made < jobCount; made += 1) {
      const job = { name: `job ${made}`, url: target.url, cronExpr: '0 0 29 2 *' };
      jobIds.push((await addJob(job, Date.now())).id);
    }
  });
  const local = await openLocal(dataDir);
  t.after(() => local[Symbol.asyncDispose]());
  const workspaceId = await addChannels(local, receiver.url);
  assert.ok(workspaceId);
  return { dataDir, local, jobIds, heard, state, random, receiver };
}

async function addChannels({ store, openVault }: Local, url: string): Promise<string> {
  const vault = await openVault();
  const keyId = await activeMasterKeyId(store.db);
  const { id: workspaceId } = await store.db
    .selectFrom('workspaces')
    .select('id')
    .executeTakeFirstOrThrow();
  for (const afterFailures of thresholds) {
    const now = Date.now();
    const config = { url: `${url}/${afterFailures}`, secret: webhookSecret };
    const input = {
      name: `after ${afterFailures}`,
      type: 'webhook',
      config,
      afterFailures,
    } as const;
    const channel = defineChannel(input, { id: newId(now), workspaceId, now });
    await insertChannel(store.db, channel, sealConfig(channel, config, vault, keyId));
  }
  return workspaceId;
}

type Campaign = Awaited<ReturnType<typeof setup>>;

/** Time passes for what waits to be delivered, so that nobody has to wait an hour. */
async function passTime({ store }: Local): Promise<void> {
  const now = Date.now();
  await store.write(async (tx) => {
    await tx
      .updateTable('deliveries')
      .set({ next_attempt_at: now })
      .where('next_attempt_at', '>', now)
      .execute();
    await tx
      .updateTable('channels')
      .set({ next_delivery_at: now })
      .where('next_delivery_at', '>', now)
      .execute();
  });
}

/** Asks for runs until somebody says that it is enough; a job has a few that wait at most. */
async function askForRuns(
  { local, jobIds, random }: Campaign,
  isOver: () => boolean,
): Promise<void> {
  for (let asked = 0; asked < 500 && !isOver(); asked += 1) {
    const jobId = jobIds[Math.floor(random() * jobIds.length)] ?? '';
    const run = queuedRun(jobId, Date.now() + asked);
    await local.store.write((tx) => insertQueuedRun(tx, run, null));
    await setTimeout(20);
  }
}

function start(t: TestContext, { dataDir }: Campaign) {
  const args = ['--data', dataDir, '--allow-target', '127.0.0.1/32:*', '--log-level', 'warn'];
  return startServe(t, args, { cwd: join(dataDir, '..') });
}

/** One life of the daemon, and its death at any moment. */
async function crash(t: TestContext, campaign: Campaign): Promise<void> {
  const { random, state, local } = campaign;
  const manners: Manner[] = ['up', 'up', 'late', 'refusing', 'breaking'];
  state.manner = manners[Math.floor(random() * manners.length)] ?? 'up';
  await passTime(local);
  const daemon = start(t, campaign);
  let isOver = false;
  const asking = askForRuns(campaign, () => isOver);
  // One in five dies before or as it listens, the others while they work.
  if (random() > 0.2) await daemon.listening;
  await setTimeout(random() * 1_200);
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
  const isEmpty = async (): Promise<boolean> => {
    const open = db.selectFrom('runs').select('id').where('status', 'in', ['queued', 'running']);
    const pending = db.selectFrom('deliveries').select('id').where('status', '=', 'pending');
    const edges = db.selectFrom('edges').select('id');
    const left = [await open.execute(), await edges.execute(), await pending.execute()];
    return left.every((rows) => rows.length === 0);
  };
  await until('everything to be told', isEmpty, { timeoutMs: 90_000, everyMs: 100 });
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

/** Every attempt that was settled is a row, and the last one is the one that arrived. */
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
  'a daemon that dies at any moment tells each flip at least once, under one id, and nothing else',
  { skip: notPackaged },
  async (t) => {
    t.diagnostic(`JOBD_CRASH_SEED=${seed}`);
    const campaign = await setup(t, seededRandom(seed));
    for (let round = 0; round < rounds; round += 1) await crash(t, campaign);
    await settle(t, campaign);
    const { local, heard, receiver } = campaign;
    const runs = await endedRuns(local);
    let flips = 0;
    for (const threshold of thresholds) {
      const expected = flipsIn(runs, threshold);
      flips += expected.length;
      const wrong = wrongIn(expected, heard.get(`/${threshold}`) ?? []);
      assert.deepEqual(wrong, [], `channel after ${threshold}, JOBD_CRASH_SEED=${seed}`);
    }
    assert.deepEqual(await wrongAttempts(local), [], `JOBD_CRASH_SEED=${seed}`);
    const { length: deliveries } = await local.store.db
      .selectFrom('deliveries')
      .select('id')
      .execute();
    assert.equal(deliveries, flips, 'no delivery but of a flip');
    t.diagnostic(`${runs.length} runs, ${flips} flips, ${receiver.received.length} requests`);
    assert.ok(flips > rounds, `only ${flips} flips`);
  },
);
