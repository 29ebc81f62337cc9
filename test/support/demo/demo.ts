/**
 * A data directory with a history of two weeks: for pictures, and for tests of pages. It is what a real jobd makes of it whose
 * clock runs from one due time to the next.
 */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { msPerDay } from '../../../src/domain/clock.ts';
import { newId } from '../../../src/domain/id.ts';
import { monitorAfter } from '../../../src/domain/monitors/monitor.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { findMonitorsToCheck, keepMonitorStates } from '../../../src/store/monitors/monitors.ts';
import { countUnsignedRuns } from '../../../src/store/proof/receipts.ts';
import { findEarliestDueTime } from '../../../src/store/runs/claims.ts';
import { everyRun } from '../../../src/store/runs/runs.ts';
import { fakeClock, type FakeClock } from '../fakes/clock.ts';
import { startTarget } from '../fakes/target.ts';
import { ping } from '../records/monitor.ts';
import { signIn } from '../running/browser.ts';
import { startTestDaemon, type Answer, type TestDaemon } from '../running/daemon.ts';
import { openTestLocal } from '../running/local.ts';
import { until } from '../until.ts';
import { addHistory, type UrlOf } from '../../../src/wings/demo/history.ts';
import { demoJobs, type DemoJob } from './jobs.ts';

const hourMs = 3_600_000;
const daysInAll = 14;
/** In this time its clock stands: due times are missed. */
const outageMs = { from: 4 * msPerDay, to: 3.7 * msPerDay };

export interface DemoOptions {
  /** When its history ends: about now, in epoch milliseconds. */
  nowMs: number;
  /** A target on loopback, as `http://127.0.0.1:PORT` (`target.ts`). */
  targetUrl: string;
  /** How many runs of `warmCache` there are besides (600). */
  moreRuns?: number;
}

type DemoJobName = keyof ReturnType<typeof demoJobs>;

/** What is in a demo: ids by short names. */
export interface Demo {
  jobs: Record<DemoJobName, string>;
  monitors: Record<'dump' | 'router' | 'deploy', string>;
  channels: Record<'onCall' | 'teamChat', string>;
  /** A run that failed, of `invoices`; one with a receipt, of `rates`. */
  runs: Record<'failed' | 'success', string>;
  /** A key with write permission. */
  key: string;
}

/** Something that somebody does, so many days before the end. */
type Moment = [daysAgo: number, act: () => Promise<unknown>];

/** Makes it in an empty directory. */
export async function makeDemo(
  dataDir: string,
  { nowMs, targetUrl, moreRuns = 600 }: DemoOptions,
): Promise<Demo> {
  await using parts = new AsyncDisposableStack();
  const t = { after: (end: () => unknown) => parts.defer(async () => void (await end())) };
  const clock = fakeClock(nowMs - daysInAll * msPerDay);
  const jobs: Record<DemoJobName, DemoJob> = demoJobs(nowMs);
  const targets = await startTarget((request, response) => {
    const name = (request.url ?? '').slice(1) as DemoJobName;
    const { status = 200, body, ms = 80, location } = jobs[name].answer(nowMs - clock.now());
    request.resume();
    clock.advanceBoth(ms);
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  parts.use(targets);
  const daemon = await startTestDaemon(t as TestContext, { dataDir, clock });
  const local = parts.use(await openTestLocal(dataDir, clock));
  const { store } = local;
  const ids = { jobs: {}, monitors: {}, channels: {} } as Pick<
    Demo,
    'jobs' | 'monitors' | 'channels'
  >;
  const say: Say = async (method, path, body) => {
    const answer = await daemon.ask(method, path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  await createWorkspace(local, { name: 'staging', account: 'default' });
  const moments: Moment[] = [
    ...Object.entries(jobs).flatMap(([name, { daysAgo, input, pausedDaysAgo }]): Moment[] => {
      const make = async () => {
        const body = { ...input, url: `${targets.url}/${name}` };
        ids.jobs[name as DemoJobName] = (await say('POST', '/jobs', body)).job.id;
      };
      const pause = () =>
        say('PATCH', `/jobs/${ids.jobs[name as DemoJobName]}`, { action: 'pause' });
      return [[daysAgo, make], ...(pausedDaysAgo ? [[pausedDaysAgo, pause] satisfies Moment] : [])];
    }),
    ...watching(say, ids.monitors),
    ...alerting(say, ids.channels, targetUrl),
    [13, () => createKey(local, { workspace: 'default', name: 'deploy', permission: 'write' })],
    [
      12,
      async () => {
        const old = { workspace: 'default', name: 'old build server', permission: 'read' } as const;
        await revokeKey(local, (await createKey(local, old)).key.id);
      },
    ],
    [0.5, () => signIn(daemon.url, { key: daemon.key })],
    [1, () => say('PATCH', `/jobs/${ids.jobs.orders}`, { notes: 'Slow on purpose.' })],
  ];
  await live({ clock, store, nowMs, daemon }, moments);
  for (const [name, { url, input }] of Object.entries<DemoJob>(jobs)) {
    const whole = url.startsWith('/') ? `${targetUrl}${url}` : url;
    const { headers = {}, body = null } = input;
    await say('PATCH', `/jobs/${ids.jobs[name as DemoJobName]}`, { url: whole, headers, body });
  }
  await createWorkspace(local, { name: 'fleet', account: 'default' });
  const fleetKey = { workspace: 'fleet', name: 'deploy', permission: 'write' } as const;
  const { secret } = await createKey(local, fleetKey);
  const create = async (job: object) =>
    (await daemon.ask('POST', '/jobs', job, secret)).body.job.id;
  // For what is not due often, no name is looked up while somebody looks.
  const urlOf: UrlOf = (host, path) =>
    host === 'cache' ? `${targetUrl}/warm` : `https://${host}.example.com/${path}`;
  await addHistory(store, create, { nowMs, beginMs: nowMs - 4 * msPerDay, urlOf });
  await daemon.stop();
  await store.write(async (tx) => {
    // A jobd whose clock jumps was away, and waits for pings once more.
    const waiting = await findMonitorsToCheck(tx, nowMs + hourMs, 10);
    const late = { type: 'time', at: nowMs, reachableSince: 0 } as const;
    await keepMonitorStates(
      tx,
      waiting.map((one) => monitorAfter({ ...one, nextCheckAt: one.nextDueAt }, late)),
    );
  });
  await addRuns(store, ids.jobs.warmCache, { count: moreRuns, nowMs: nowMs - hourMs });
  return {
    ...ids,
    runs: {
      failed: await newestRun(store, ids.jobs.invoices),
      success: await newestRun(store, ids.jobs.rates),
    },
    key: daemon.key,
  };
}

/** Goes through time: what is due is called when it is due, and what people do is done between. */
async function live(
  world: { clock: FakeClock; store: Store; nowMs: number; daemon: TestDaemon },
  moments: readonly Moment[],
): Promise<void> {
  const { clock, store, nowMs, daemon } = world;
  const goTo = async (at: number): Promise<void> => {
    clock.advanceBoth(Math.max(0, at - clock.now()));
    await daemon.followClock();
    await until('all that is due', () => isSettled(store, clock.now()));
  };
  const planned: Moment[] = [...moments, [0, async () => {}]];
  for (const [daysAgo, act] of planned.toSorted(([one], [other]) => other - one)) {
    const momentAt = nowMs - daysAgo * msPerDay;
    for (;;) {
      const due = await findEarliestDueTime(store.db, clock.now(), []);
      if (due === null || due > momentAt) break;
      const isAway = due > nowMs - outageMs.from && due < nowMs - outageMs.to;
      await goTo(isAway ? nowMs - outageMs.to : due);
    }
    await goTo(momentAt);
    await act();
  }
}

/** Whether nothing is left to be called, recorded, signed or delivered at this time. */
async function isSettled({ db }: Store, now: number): Promise<boolean> {
  const due = await findEarliestDueTime(db, now, []);
  if ((due !== null && due <= now) || (await countUnsignedRuns(db, 1)) > 0) return false;
  const left = [
    db.selectFrom(everyRun).select('id').where('status', 'in', ['queued', 'running']).limit(1),
    db.selectFrom('outbox').select('id').limit(1),
    db.selectFrom('channels').select('id').where('next_delivery_at', '<=', now).limit(1),
  ];
  for (const rows of left) if ((await rows.execute()).length > 0) return false;
  return true;
}

type Say = (method: string, path: string, body?: unknown) => Promise<Answer['body']>;

/** Monitors: one that is up, one that is down, one that is new. */
function watching(say: Say, ids: Demo['monitors']): Moment[] {
  const urls: Record<string, string> = {};
  const make = (name: keyof Demo['monitors'], input: object) => async () => {
    const { monitor } = await say('POST', '/monitors', input);
    ids[name] = monitor.id;
    urls[name] = monitor.pingUrl;
  };
  const day = { scheduleType: 'period', periodSeconds: 86_400, graceSeconds: 3_600 };
  const dump = { ...day, name: 'Database dump on db-1', notes: 'crontab of root on db-1' };
  const twoHours = { scheduleType: 'period', periodSeconds: 7_200, graceSeconds: 900 };
  const pings = (name: string, count: number, lastDaysAgo: number, everyDays: number): Moment[] =>
    Array.from({ length: count }, (_, index): Moment[] => [
      [lastDaysAgo + index * everyDays + 0.001, () => ping(`${urls[name]}/start`)],
      [lastDaysAgo + index * everyDays, () => ping(urls[name] ?? '')],
    ]).flat();
  return [
    [9, make('dump', dump)],
    ...pings('dump', 8, 0.3, 1),
    [2, make('router', { name: 'Edge router, København', ...twoHours })],
    ...pings('router', 6, 0.3, 1 / 12),
    [
      0.1,
      make('deploy', { ...day, name: 'Deploy of staging', notes: 'Waits for its first ping.' }),
    ],
  ];
}

/** Channels: one that takes all alerts, one whose other side fails. */
function alerting(say: Say, ids: Demo['channels'], targetUrl: string): Moment[] {
  const make = (name: keyof Demo['channels'], input: object) => async () => {
    ids[name] = (await say('POST', '/channels', input)).channel.id;
  };
  const config = (path: string) => ({ config: { url: `${targetUrl}${path}` } });
  return [
    [13.9, make('onCall', { name: 'On call', type: 'webhook', ...config('/alerts') })],
    [13.8, async () => await say('POST', `/channels/${ids.onCall}/test`)],
    [2.5, make('teamChat', { name: 'Team chat', type: 'slack', ...config('/chat') })],
  ];
}

/** Adds runs to a job, one a minute until a time; one in fifty failed. */
async function addRuns(
  store: Store,
  jobId: string,
  { count, nowMs }: { count: number; nowMs: number },
): Promise<void> {
  const { workspace_id } = await store.db
    .selectFrom('jobs')
    .select('workspace_id')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  const failure = { status: 'failed', http_status: 503, reason: 'http' } as const;
  const success = { status: 'success', http_status: 200, reason: null } as const;
  await store.write(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const at = nowMs - (count - index) * 60_000;
      const duration_ms = 40 + ((index * 7_919) % 90);
      const times = { scheduled_for: at, started_at: at + 3, finished_at: at + 3 + duration_ms };
      const ended = index % 50 === 7 ? failure : success;
      const of = { id: newId(at), job_id: jobId, workspace_id, source: 'scheduled' } as const;
      const rest = { attempts: 1, duration_ms, idempotency_key: null, response_body: 'ok' };
      await tx
        .insertInto('runs')
        .values({ ...of, ...times, ...ended, ...rest })
        .execute();
    }
  });
}

async function newestRun({ db }: Store, jobId: string): Promise<string> {
  const runs = db.selectFrom('runs').select('id').where('job_id', '=', jobId);
  return (await runs.orderBy('scheduled_for', 'desc').limit(1).executeTakeFirstOrThrow()).id;
}
