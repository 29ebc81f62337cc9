/** Two workspaces with the same content, and a comparison of all their stored data. */

import assert from 'node:assert/strict';
import { everyRun } from '../../../src/store/runs/runs.ts';
import { openTestLocal } from '../running/local.ts';
import type { TestDaemon } from '../running/daemon.ts';
import { ping } from './monitor.ts';
import { until } from '../until.ts';

/**
 * The content of a workspace: a job and a run of it, another job with a run, a monitor with a ping,
 * a channel with a delivery, another such channel, a window that is on, and a badge.
 */
export interface Holding {
  jobId: string;
  runId: string;
  /** A run of the workspace's other job. */
  siblingRunId: string;
  monitorId: string;
  channelId: string;
  deliveryId: string;
  /** A delivery of the workspace's other channel. */
  siblingDeliveryId: string;
  windowId: string;
  badgeId: string;
}

/**
 * Creates the content of a workspace; its jobs and monitors are paused and contain `mark` wherever
 * a response could show it.
 */
export async function fillWorkspace(
  { ask }: TestDaemon,
  key: string,
  mark: string,
  targetUrl: string,
): Promise<Holding> {
  const input = { name: mark, notes: mark, url: `${targetUrl}/${mark}`, paused: true };
  const make = async (): Promise<{ jobId: string; runId: string }> => {
    const made = await ask('POST', '/jobs', input, key);
    assert.equal(made.status, 201, made.body.error);
    const jobId: string = made.body.job.id;
    const queued = await ask('POST', `/jobs/${jobId}/run`, undefined, key);
    assert.equal(queued.status, 202, queued.body.error);
    return { jobId, runId: queued.body.run.id };
  };
  const [own, sibling] = [await make(), await make()];
  const watched = { name: mark, notes: mark, paused: true };
  const { status, body } = await ask('POST', '/monitors', watched, key);
  assert.equal(status, 201, body.error);
  await ping(body.monitor.pingUrl, { method: 'POST', body: mark });
  const channel = { name: mark, type: 'slack', config: { url: input.url }, enabled: false };
  const makeChannel = async (): Promise<{ channelId: string; deliveryId: string }> => {
    const made = await ask('POST', '/channels', channel, key);
    assert.equal(made.status, 201, made.body.error);
    const channelId: string = made.body.channel.id;
    const tested = await ask('POST', `/channels/${channelId}/test`, undefined, key);
    assert.equal(tested.status, 202, tested.body.error);
    return { channelId, deliveryId: tested.body.delivery.id };
  };
  const muted = { name: mark, effect: 'mute', durationSeconds: 604_800 };
  const window = await ask('POST', '/windows', muted, key);
  assert.equal(window.status, 201, window.body.error);
  const badge = await ask('POST', '/badges', { name: mark }, key);
  assert.equal(badge.status, 201, badge.body.error);
  const [ownChannel, siblingChannel] = [await makeChannel(), await makeChannel()];
  return {
    ...own,
    siblingRunId: sibling.runId,
    monitorId: body.monitor.id,
    ...ownChannel,
    siblingDeliveryId: siblingChannel.deliveryId,
    windowId: window.body.window.id,
    badgeId: badge.body.badge.id,
  };
}

/**
 * All stored data of a workspace's jobs, runs, monitors, pings and channels, as text to compare.
 */
export type Snapshot = (workspaceId: string) => Promise<string>;

/** The store of a daemon, for reading. */
export interface Reading extends AsyncDisposable {
  snapshot: Snapshot;
  /** Waits until nothing is queued or executing. */
  untilQuiet: () => Promise<void>;
}

/** Opens the daemon's store for reading. */
export async function openSnapshots(dataDir: string): Promise<Reading> {
  const local = await openTestLocal(dataDir);
  const { db } = local.store;
  const open = db.selectFrom(everyRun).select('id').where('status', 'in', ['queued', 'running']);
  const snapshot: Snapshot = async (workspaceId) => {
    // Deleted rows belong to nobody: they are removed in small steps, independent of requests.
    const ofWorkspace = db
      .selectFrom('jobs')
      .where('workspace_id', '=', workspaceId)
      .where('deleted_at', 'is', null);
    const jobs = await ofWorkspace.selectAll().orderBy('id').execute();
    const runs = await db
      .selectFrom('runs')
      .selectAll()
      .where('job_id', 'in', ofWorkspace.select('id'))
      .orderBy('id')
      .execute();
    const watched = db
      .selectFrom('monitors')
      .where('workspace_id', '=', workspaceId)
      .where('deleted_at', 'is', null);
    const monitors = await watched.selectAll().orderBy('id').execute();
    const pings = await db
      .selectFrom('pings')
      .selectAll()
      .where('monitor_id', 'in', watched.select('id'))
      .orderBy('id')
      .execute();
    const ownChannels = db
      .selectFrom('channels')
      .where('workspace_id', '=', workspaceId)
      .where('deleted_at', 'is', null);
    const columns = ['id', 'name', 'sealed', 'enabled', 'job_ids', 'after_failures'] as const;
    const channels = await ownChannels.select(columns).orderBy('id').execute();
    const { windows } = await db
      .selectFrom('workspaces')
      .select('windows')
      .where('id', '=', workspaceId)
      .executeTakeFirstOrThrow();
    const badges = await db
      .selectFrom('badges')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .orderBy('id')
      .execute();
    // The progress of a delivery does not depend on requests.
    const deliveries = await db
      .selectFrom('deliveries')
      .select(['id', 'event', 'subject_id', 'about_name', 'created_at'])
      .where('channel_id', 'in', ownChannels.select('id'))
      .orderBy('id')
      .execute();
    return JSON.stringify({ jobs, runs, monitors, pings, channels, deliveries, windows, badges });
  };
  return {
    snapshot,
    untilQuiet: async () => {
      await until('the end of all runs', async () => (await open.execute()).length === 0);
    },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}
