/**
 * A daemon is killed again and again while its runs are under way, and while it is down its jobs miss their times. Each missed
 * and each interrupted run is in exactly one alert, or gathered for the next one. The stored runs are the truth.
 *
 *   JOBD_CRASH_ROUNDS=50   deaths (6)
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openTestLocal } from '../support/running/local.ts';
import type { Local } from '../../src/serve/local-store.ts';
import type { Alert } from '../../src/domain/alerts/alert.ts';
import type { Gathered } from '../../src/domain/alerts/digest.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { startSink } from '../support/fakes/sink.ts';
import { notPackaged, startServe } from '../support/running/executable.ts';
import { prepareStore } from '../support/running/prepare.ts';
import { until } from '../support/until.ts';
import { roundsOr } from './crash/service.ts';
import { repeatedBy, rollDice } from '../support/dice.ts';

const rounds = roundsOr(6);
const jobs = 30;

/** Makes some jobs due now and the others ten minutes ago, and what is gathered due. */
async function passTime(
  { store }: Local,
  ids: readonly string[],
  random: () => number,
): Promise<void> {
  await store.write(async (tx) => {
    const now = Date.now();
    for (const id of ids) {
      const dueAt = random() < 0.5 ? now : now - 600_000;
      await tx.updateTable('jobs').set({ next_run_at: dueAt }).where('id', '=', id).execute();
    }
    await tx.updateTable('digests').set({ due_at: now, quiet_until: 0 }).execute();
  });
}

/** How many runs were recorded as such, and how many are in alerts or gathered. */
async function countsOf({ store: { db } }: Local, status: 'missed' | 'interrupted', ids: string[]) {
  const event = `job.${status}` as const;
  const of = db.selectFrom('runs').select('id').where('status', '=', status);
  const runs = await of.where('job_id', 'in', ids).execute();
  const sent = await db
    .selectFrom('deliveries')
    .select('payload')
    .where('event', '=', event)
    .execute();
  const waiting = await db
    .selectFrom('digests')
    .select('gathered')
    .where('event', '=', event)
    .execute();
  const inAlerts = sent.map(({ payload }) => (JSON.parse(payload) as Alert).data.runs?.count ?? 0);
  const gathered = waiting.flatMap((row) =>
    row.gathered === null ? [] : [(JSON.parse(row.gathered) as Gathered).count],
  );
  const reported = [...inAlerts, ...gathered].reduce((sum, count) => sum + count, 0);
  return { recorded: runs.length, reported, alerts: sent.length };
}

test(
  'however often a daemon is killed, each missed or interrupted run is reported exactly once',
  { skip: notPackaged },
  async (t) => {
    const random = rollDice(t);
    const dataDir = join(temporaryDirectory(t), 'data');
    const target = await startSink(t, () => {});
    const receiver = await startSink(t);
    // A channel for the odd jobs asks for both kinds of runs.
    const [ids, served] = await prepareStore(dataDir, async ({ addJob, addWebhook }) => {
      const added: string[] = [];
      for (let made = 0; made < jobs; made += 1) {
        const job = { name: `job ${made}`, url: target.url, cronExpr: '* * * * *' };
        added.push((await addJob(job, Date.now())).id);
      }
      const odd = added.filter((_, index) => index % 2 === 1);
      await addWebhook(receiver.url, { jobIds: odd, alsoOn: ['missed', 'interrupted'] });
      return [added, odd];
    });
    const local = await openTestLocal(dataDir);
    t.after(() => local[Symbol.asyncDispose]());
    const args = ['--data', dataDir, '--allow-target', '127.0.0.1/32:*', '--log-level', 'warn'];
    for (let round = 0; round < rounds; round += 1) {
      await passTime(local, ids, random);
      const before = target.received.length;
      const daemon = startServe(t, args, { cwd: join(dataDir, '..') });
      await daemon.listening;
      const called = () => target.received.length > before;
      await until('calls', called);
      await setTimeout(random() * 300);
      await daemon.stop('SIGKILL');
    }
    await passTime(local, ids, random);
    const last = startServe(t, args, { cwd: join(dataDir, '..') });
    await last.listening;
    await until('an alert', () => receiver.received.length > 0);
    await last.stop('SIGKILL');
    for (const status of ['missed', 'interrupted'] as const) {
      const { recorded, reported, alerts } = await countsOf(local, status, served);
      t.diagnostic(`${recorded} ${status} runs, ${reported} reported, ${alerts} alerts`);
      assert.ok(recorded > 0, `no run was ${status}`);
      assert.equal(reported, recorded, `${status}, ${repeatedBy}`);
    }
  },
);
