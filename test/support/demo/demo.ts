/**
 * A data directory with a believable history, made at once: for pictures, and for tests of pages. It is the same each
 * time, but for ids, and for times, which count back from now.
 */

import { rotateSigningKey } from '../../../src/app/receipts/signing-keys.ts';
import { createJob, updateJob } from '../../../src/app/jobs/jobs.ts';
import { managedJobs } from '../../../src/wings/definitions/server/jobs.ts';
import { applyManaged } from '../../../src/wings/definitions/server/managed.ts';
import type { RunStatus } from '../../../src/domain/runs/run.ts';
import { alertsOf, pendingDeliveries } from './alerts.ts';
import type { DemoChannelName } from './alerts.ts';
import { addJobs, addRuns } from './bulk.ts';
import { historyOf } from './history.ts';
import { demoJobs } from './jobs.ts';
import type { DemoJob, DemoJobs } from './jobs.ts';
import { monitorsOf } from './monitors.ts';
import type { DemoMonitorName } from './monitors.ts';
import { peopleCounts, peopleOf } from './people.ts';
import { signAll } from './receipts.ts';
import { dayMs, openWorld } from './world.ts';
import type { Moment, World } from './world.ts';

export interface DemoOptions {
  /** When its history ends: about now, in epoch milliseconds. */
  nowMs: number;
  /** A target on loopback, as `http://127.0.0.1:PORT` (`target.ts`). */
  targetUrl: string;
  /** How many more jobs there are, each with ten runs. */
  extraJobs?: number;
  /** How many runs a paused job has; there is no such job without it. */
  runsOfOneJob?: number;
}

export type DemoJobName = keyof DemoJobs;

/** What is in a demo: ids by short names. */
export interface Demo {
  workspaceId: string;
  jobs: Record<DemoJobName, string>;
  monitors: Record<DemoMonitorName, string>;
  channels: Record<DemoChannelName, string>;
  /** A run that failed, of `invoices`; one with a receipt, of `rates`; and one that was interrupted, of `orders`. */
  runs: Record<'failed' | 'success' | 'interrupted', string>;
  /** The job with `runsOfOneJob`, or null. */
  busyJob: string | null;
  /** A key with write permission. */
  key: string;
}

/** What a demo promises, without what the options add. */
export const demoCounts = {
  jobs: { total: 24, down: 3, up: 17, paused: 2, new: 2 },
  monitors: { total: 6, up: 2, late: 1, down: 1, paused: 1, new: 1 },
  channels: 4,
  pendingDeliveries,
  ...peopleCounts,
};

/** Makes it in an empty directory. */
export async function makeDemo(dataDir: string, options: DemoOptions): Promise<Demo> {
  const { nowMs, extraJobs = 0, runsOfOneJob = 0 } = options;
  await using world = await openWorld(dataDir, options);
  const jobIds = {} as Record<DemoJobName, string>;
  const alerts = alertsOf(world, (name) => jobIds[name]);
  const monitors = monitorsOf(world);
  const jobs = Object.entries(demoJobs(options)) as [DemoJobName, DemoJob][];
  const moments = [
    ...jobs.flatMap(([name, job]) => lifeOf(world, name, job, jobIds)),
    ...monitors.moments,
    ...alerts.moments,
    ...peopleOf(world, (name) => jobIds[name]),
    { at: nowMs - 9 * dayMs, happen: () => changeSigningKey(world) },
  ];
  for (const { at, happen } of moments.toSorted((a, b) => a.at - b.at)) {
    await alerts.deliverUntil(at);
    await monitors.checkAt(at);
    await happen();
  }
  await alerts.deliverUntil(nowMs);
  await signAll(world);
  const busyJob = runsOfOneJob > 0 ? await addBusyJob(world, runsOfOneJob) : null;
  const { store } = world.local;
  if (extraJobs > 0) await addJobs(store, jobIds.inventory, { count: extraJobs, nowMs });
  const newest = (name: DemoJobName, status: RunStatus) => newestRun(world, jobIds[name], status);
  return {
    workspaceId: world.workspaceId,
    jobs: jobIds,
    monitors: monitors.ids,
    channels: alerts.ids,
    runs: {
      failed: await newest('invoices', 'failed'),
      success: await newest('rates', 'success'),
      interrupted: await newest('orders', 'interrupted'),
    },
    busyJob,
    key: world.secret,
  };
}

/** A job is made, runs, and may be paused. */
function lifeOf(
  world: World,
  name: DemoJobName,
  job: DemoJob,
  ids: Record<DemoJobName, string>,
): Moment[] {
  const { app, laptop, owner } = world;
  const { input, key, createdAt, pausedAt } = job;
  const create = async (): Promise<void> => {
    const made =
      key === undefined
        ? await createJob(app, owner, input)
        : (
            await applyManaged(
              app,
              laptop,
              managedJobs,
              { key, input: { ...input, after: null } },
              () => {},
            )
          ).shown;
    ids[name] = made?.id ?? '';
  };
  const pause = () => updateJob(app, owner, ids[name], { action: 'pause' });
  return [
    { at: createdAt, happen: create },
    ...historyOf(world, job, () => ids[name]),
    ...(pausedAt === undefined ? [] : [{ at: pausedAt, happen: pause }]),
  ];
}

/** Receipts so far are signed with the old key. */
async function changeSigningKey(world: World): Promise<void> {
  await signAll(world);
  await rotateSigningKey(world.app);
}

async function addBusyJob({ app, owner, local, nowMs }: World, count: number): Promise<string> {
  const { id } = await createJob(app, owner, {
    name: 'Busy job',
    url: 'https://example.com/busy',
    cronExpr: '* * * * *',
    paused: true,
  });
  await addRuns(local.store, id, { count, nowMs });
  return id;
}

async function newestRun({ local }: World, jobId: string, status: RunStatus): Promise<string> {
  const { id } = await local.store.db
    .selectFrom('runs')
    .select('id')
    .where('job_id', '=', jobId)
    .where('status', '=', status)
    .orderBy('scheduled_for', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
}
