/** A workspace with the jobs of a small company, and what ran of them in the last days: for the timetable. */

import assert from 'node:assert/strict';
import type { Insertable } from 'kysely';
import { msPerDay } from '../../../src/domain/clock.ts';
import { spreadOffset } from '../../../src/domain/schedule/adjustment-input.ts';
import { newId } from '../../../src/domain/id.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { scheduleOf } from '../../../src/domain/schedule/schedule.ts';
import { scheduleColumns } from '../../../src/store/database/columns.ts';
import type { RunRow } from '../../../src/store/database/schema.ts';
import type { Store } from '../../../src/store/database/store.ts';

/** How a job does: always well, failing since some hours, or now and then. */
type Doing = 'well' | 'failing' | 'flaky';

/** Name, host, schedule, seconds that a run takes, and how it does. */
type FleetJob = readonly [string, string, Record<string, unknown>, number, Doing?];

const cron = (cronExpr: string, timezone = 'Europe/Paris') => ({ cronExpr, timezone });
const databases = 'billing crm shop search auth mail wiki stats media stock forum'.split(' ');
const shops = 'Paris Lyon Berlin Madrid Zürich København'.split(' ');

/** The jobs. What is due often leads to `target`, which answers; for the others no name is looked up while somebody looks. */
function fleet(target: string, nowMs: number): FleetJob[] {
  const calm = (new Date(nowMs).getUTCMinutes() + 25) % 60;
  return [
    ...databases.map((name, at): FleetJob => [
      `Backup ${name}`,
      'https://db.example.com/dump',
      cron(at % 4 === 3 ? '30 3 * * *' : '0 3 * * *'),
      420 + ((at * 911) % 2_700),
    ]),
    ['Backup warehouse', 'https://db.example.com/dump', cron('0 1 * * *'), 6_900],
    ['Verify backups', 'https://db.example.com/verify', cron('0 6 * * *'), 1_300],
    ...shops.map((name, at): FleetJob => [
      `Stock of ${name}`,
      'https://stock.example.com/sync',
      cron(`${(calm + at) % 60} */2 * * *`),
      20 + at * 9,
      at === 3 ? 'failing' : 'well',
    ]),
    ['Cache warm-up', `${target}/warm`, cron('*/5 * * * *', 'UTC'), 0.2],
    ['Queue depth', `${target}/warm`, cron('* * * * *', 'UTC'), 0.05, 'flaky'],
    ['Healthcheck API', `${target}/warm`, cron('*/2 * * * *', 'UTC'), 0.1, 'flaky'],
    ['Exchange rates', `${target}/warm`, cron('*/10 7-19 * * MON-FRI'), 1.2],
    ['Price feed', `${target}/warm`, { scheduleType: 'period', periodSeconds: 900 }, 3],
    ['Invoices', 'https://billing.example.com/send', cron(`${calm} * * * *`), 14, 'flaky'],
    ['Dunning letters', 'https://billing.example.com/dunning', cron('0 9 * * MON-FRI'), 95],
    ['Payouts', 'https://billing.example.com/payouts', cron('0 4 * * *', 'UTC'), 210],
    ['Ledger close', 'https://billing.example.com/close', cron('55 23 * * *'), 640],
    ['Search reindex', 'https://search.example.com/reindex', cron('0 2 * * *'), 5_400],
    ['Search synonyms', 'https://search.example.com/synonyms', cron('0 */6 * * *'), 60],
    ['Newsletter', 'https://mail.example.com/weekly', cron('0 8 * * THU'), 1_800],
    ['Bounce sweep', 'https://mail.example.com/bounces', cron(`${calm} */3 * * *`), 33],
    ['Sitemaps', 'https://shop.example.com/sitemap', cron('0 5 * * *'), 260],
    ['Abandoned carts', 'https://shop.example.com/carts', cron(`${calm} 8-20 * * *`), 22],
    ['Image thumbnails', 'https://media.example.com/thumbs', cron('15 */4 * * *'), 1_500],
    ['Video transcodes', 'https://media.example.com/video', cron('45 0,12 * * *'), 4_200],
    ['Certificate check', 'https://ops.example.com/certs', cron('0 7 * * *', 'UTC'), 8],
    ['Log rotation', 'https://ops.example.com/rotate', cron('0 0 * * *', 'UTC'), 12],
    ['Disk report', 'https://ops.example.com/disks', cron('0 3 * * *'), 9],
    ['Vacuum tables', 'https://db.example.com/vacuum', cron('0 3 * * *'), 2_900],
    ['Partner feed Kolkata', 'https://feeds.example.net/in', cron('0 6 * * *', 'Asia/Kolkata'), 70],
    [
      'Partner feed New York',
      'https://feeds.example.net/us',
      cron('0 6 * * *', 'America/New_York'),
      84,
    ],
    ['Weekly report', 'https://stats.example.com/weekly', cron('0 7 * * FRI'), 300],
    ['Daily report', 'https://stats.example.com/daily', cron('0 7 * * *'), 120],
    ['Churn model', 'https://stats.example.com/churn', cron('30 4 * * SUN'), 7_200],
    ['GDPR deletions', 'https://crm.example.com/forget', cron('0 3 * * *'), 340],
    ['Lead scoring', 'https://crm.example.com/score', cron(`${calm} */4 * * *`), 410],
    ['Calendar sync', `${target}/warm`, { scheduleType: 'period', periodSeconds: 1_800 }, 5],
    ['Geo database', 'https://ops.example.com/geo', cron('0 3 * * TUE'), 45],
    ['Staging reset', 'https://staging.example.com/reset', cron('0 20 * * *'), 500],
    ['Tax tables', 'https://billing.example.com/tax', cron('0 0 1 * *'), 30],
  ];
}

const outageHours = { from: 7.6, to: 6.4 };
const failingMs = 5 * 3_600_000;
const hourMs = 3_600_000;

/** Makes the jobs by `apply`, which answers as `POST /definitions` does, and adds their runs of the last four days. */
export async function addFleet(
  store: Store,
  apply: (body: object) => Promise<{ changes: { id: string; key: string }[] }>,
  { nowMs, targetUrl }: { nowMs: number; targetUrl: string },
): Promise<void> {
  const jobs = fleet(targetUrl, nowMs);
  const { changes } = await apply({
    jobs: jobs.map(([name, url, schedule], index) => ({
      key: `job-${index}`,
      name,
      url,
      ...schedule,
    })),
  });
  assert.equal(changes.length, jobs.length);
  const byKey = new Map(changes.map(({ id, key }) => [key, id]));
  await store.write(async (tx) => {
    for (const [index, [, , , seconds, doing = 'well']] of jobs.entries()) {
      const id = byKey.get(`job-${index}`) ?? '';
      const columns = ['workspace_id as workspaceId', ...scheduleColumns] as const;
      const job = await tx
        .selectFrom('jobs')
        .select(columns)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const { workspaceId } = job;
      const runs = runsOf(scheduleOf(job), { nowMs, seconds, doing });
      const of = { job_id: id, workspace_id: workspaceId, source: 'scheduled' } as const;
      for (let at = 0; at < runs.length; at += 500) {
        const rows = runs.slice(at, at + 500).map((run) => {
          return { id: newId(run.scheduled_for), ...of, ...run };
        });
        await tx.insertInto('runs').values(rows).execute();
      }
      const isDown = doing === 'failing';
      const down = { health: 'down', down_reason: 'http: 503', failures: 3 } as const;
      const health = isDown ? down : ({ health: runs.length > 0 ? 'up' : 'new' } as const);
      await tx.updateTable('jobs').set(health).where('id', '=', id).execute();
    }
  });
}

type Ran = Omit<Insertable<RunRow>, 'id' | 'job_id' | 'workspace_id' | 'source'>;

/** What ran by a schedule: all due times but those of the outage, of which one run says that they were missed. */
function runsOf(
  schedule: ReturnType<typeof scheduleOf>,
  { nowMs, seconds, doing }: { nowMs: number; seconds: number; doing: Doing },
): Ran[] {
  const [from, to] = [nowMs - outageHours.from * hourMs, nowMs - outageHours.to * hourMs];
  const runs: Ran[] = [];
  const missed: number[] = [];
  for (
    let at = nextDue(schedule, nowMs - 4 * msPerDay);
    at !== null && at < nowMs - 30_000;
    at = nextDue(schedule, at)
  ) {
    if (at > from && at < to) missed.push(at);
    else runs.push(runAt(at, runs.length));
  }
  const [first] = missed;
  if (first === undefined) return runs;
  const of = { last_due_at: missed.at(-1) ?? first, missed_count: missed.length };
  return [
    ...runs,
    { ...of, attempts: 0, status: 'missed', scheduled_for: first, reason: 'not_running' },
  ];

  function runAt(at: number, number: number): Ran {
    const ms = Math.min(nowMs - at, Math.round(seconds * (800 + ((number * 37) % 40) * 10)));
    const times = { scheduled_for: at, started_at: at, finished_at: at + ms, attempts: 1 };
    if (at < from && at + ms > from) return { ...times, status: 'interrupted', reason: 'cut_off' };
    const isBroken =
      doing === 'failing'
        ? at > nowMs - failingMs
        : doing === 'flaky' && spreadOffset(`${at}`, 70) === 5;
    return isBroken
      ? { ...times, status: 'failed', duration_ms: ms, http_status: 503, reason: 'http' }
      : { ...times, status: 'success', duration_ms: ms, http_status: 200 };
  }
}
