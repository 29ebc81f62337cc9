/** The jobs of a small company, and runs of last month and this one that never happened: what a demo shows. */

import type { Insertable } from 'kysely';
import { newId } from '../../domain/id.ts';
import { spreadOffset } from '../../domain/schedule/adjustment-input.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { scheduleColumns } from '../../store/database/columns.ts';
import type { RunRow } from '../../store/database/schema.ts';
import type { Db, Store } from '../../store/database/store.ts';

/** How a job does: always well, failing since some hours, or now and then. */
type Doing = 'well' | 'failing' | 'flaky';

/** Name, host and path of its URL, schedule, seconds that a run takes, and how it does. */
type DemoJob = readonly [string, string, Record<string, unknown>, number, Doing?];

/** Makes the URL of a path of a host. */
export type UrlOf = (host: string, path: string) => string;

const cron = (cronExpr: string, timezone = 'Europe/Paris') => ({ cronExpr, timezone });
const databases = 'billing crm shop search auth mail wiki stats media stock forum'.split(' ');
const shops = 'Paris Lyon Berlin Madrid Zürich København'.split(' ');

/** The jobs. What is due within the hour is on few hosts. */
function jobsAt(nowMs: number): DemoJob[] {
  const calm = (new Date(nowMs).getUTCMinutes() + 25) % 60;
  return [
    ...databases.map((name, at): DemoJob => [
      `Backup ${name}`,
      'db/dump',
      cron(at % 4 === 3 ? '30 3 * * *' : '0 3 * * *'),
      420 + ((at * 911) % 2_700),
    ]),
    ['Backup warehouse', 'db/dump', cron('0 1 * * *'), 6_900],
    ['Verify backups', 'db/verify', cron('0 6 * * *'), 1_300],
    ...shops.map((name, at): DemoJob => [
      `Stock of ${name}`,
      at === 3 ? 'stock/madrid' : 'stock/sync',
      cron(`${(calm + at) % 60} */2 * * *`),
      6 + at * 3,
      at === 3 ? 'failing' : 'well',
    ]),
    ['Cache warm-up', 'cache/warm', cron('*/5 * * * *', 'UTC'), 0.2],
    ['Queue depth', 'cache/depth', cron('* * * * *', 'UTC'), 0.05, 'flaky'],
    ['Healthcheck API', 'cache/health', cron('*/2 * * * *', 'UTC'), 0.1, 'flaky'],
    ['Exchange rates', 'cache/warm', cron('*/10 7-19 * * MON-FRI'), 1.2],
    ['Price feed', 'cache/warm', { scheduleType: 'period', periodSeconds: 900 }, 3],
    ['Invoices', 'billing/send', cron(`${calm} * * * *`), 14, 'flaky'],
    ['Dunning letters', 'billing/dunning', cron('0 9 * * MON-FRI'), 95],
    ['Payouts', 'billing/payouts', cron('0 4 * * *', 'UTC'), 210],
    ['Ledger close', 'billing/close', cron('55 23 * * *'), 640],
    ['Search reindex', 'search/reindex', cron('0 2 * * *'), 5_400],
    ['Search synonyms', 'search/synonyms', cron('0 */6 * * *'), 60],
    ['Newsletter', 'mail/weekly', cron('0 8 * * THU'), 1_800],
    ['Bounce sweep', 'mail/bounces', cron(`${calm} */3 * * *`), 33],
    ['Sitemaps', 'shop/sitemap', cron('0 5 * * *'), 260],
    ['Abandoned carts', 'shop/carts', cron(`${calm} 8-20 * * *`), 22],
    ['Image thumbnails', 'media/thumbs', cron('15 */4 * * *'), 1_500],
    ['Video transcodes', 'media/video', cron('45 0,12 * * *'), 4_200],
    ['Certificate check', 'ops/certs', cron('0 7 * * *', 'UTC'), 8],
    ['Log rotation', 'ops/rotate', cron('0 0 * * *', 'UTC'), 12],
    ['Disk report', 'ops/disks', cron('0 3 * * *'), 9],
    ['Vacuum tables', 'db/vacuum', cron('0 3 * * *'), 2_900],
    ['Partner feed Kolkata', 'feeds/in', cron('0 6 * * *', 'Asia/Kolkata'), 70],
    ['Partner feed New York', 'feeds/us', cron('0 6 * * *', 'America/New_York'), 84],
    ['Weekly report', 'stats/weekly', cron('0 7 * * FRI'), 300],
    ['Daily report', 'stats/daily', cron('0 7 * * *'), 120],
    ['Churn model', 'stats/churn', cron('30 4 * * SUN'), 7_200],
    ['GDPR deletions', 'crm/forget', cron('0 3 * * *'), 340],
    ['Lead scoring', 'crm/score', cron(`${calm} */4 * * *`), 410],
    ['Calendar sync', 'cache/warm', { scheduleType: 'period', periodSeconds: 1_800 }, 5],
    ['Geo database', 'ops/geo', cron('0 3 * * TUE'), 45],
    ['Staging reset', 'staging/reset', cron('0 20 * * *'), 500],
    ['Tax tables', 'billing/tax', cron('0 0 1 * *'), 30],
  ];
}

const outageHours = { from: 7.6, to: 6.4 };
const hourMs = 3_600_000;
const cutOff = { status: 'interrupted', reason: 'cut_off' } as const;
const mostRuns = 3_000;
/** Runs of a job whose receipts are signed. */
const mostReceipts = 3;
/** In seconds: what takes longer is answered 202, and reported later. */
const longestCall = 25;
const longestWaitMs = 4 * hourMs;

/** Makes the jobs by `create`, which returns the id of a new one, and adds runs since `beginMs`, the newest 3,000 of each. */
export async function addHistory(
  store: Store,
  create: (job: object) => Promise<string>,
  { nowMs, beginMs, urlOf }: { nowMs: number; beginMs: number; urlOf: UrlOf },
): Promise<void> {
  for (const [name, place, schedule, seconds, doing = 'well'] of jobsAt(nowMs)) {
    const [host = '', path = ''] = place.split('/');
    const long = seconds > longestCall && { reportWithinSeconds: longestWaitMs / 1_000 };
    const job = { name, url: urlOf(host, path), labels: { team: host }, ...long, ...schedule };
    const id = await create(job);
    await store.write((tx) => addRuns(tx, id, { nowMs, beginMs, seconds, doing }));
  }
}

/** How a job did, and since when. */
interface Past {
  nowMs: number;
  beginMs: number;
  seconds: number;
  doing: Doing;
}

async function addRuns(tx: Db, id: string, past: Past): Promise<void> {
  const { workspaceId, createdAt, ...job } = await tx
    .selectFrom('jobs')
    .select(['workspace_id as workspaceId', 'created_at as createdAt', ...scheduleColumns])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  // An interval began with the history: it is due next when it is due next.
  const everyMs = (job.periodSeconds ?? 0) * 1_000;
  const before = everyMs === 0 ? 0 : Math.floor((job.anchorAt - past.beginMs) / everyMs) * everyMs;
  const anchorAt = job.anchorAt - before;
  const all = runsOf(scheduleOf({ ...job, anchorAt }), past, createdAt);
  const runs = all.slice(-mostRuns);
  const receiptsFrom = runs.at(-mostReceipts)?.scheduled_for ?? 0;
  const of = { job_id: id, workspace_id: workspaceId, source: 'scheduled' } as const;
  for (let at = 0; at < runs.length; at += 500) {
    const rows = runs.slice(at, at + 500).map((run) => {
      const isSigned = run.scheduled_for >= receiptsFrom && run.http_status !== undefined;
      return { id: newId(run.scheduled_for), ...of, ...run, receipt_due: Number(isSigned) };
    });
    await tx.insertInto('runs').values(rows).execute();
    const reports = rows.flatMap((row) => (row.http_status === 202 ? [reportOf(row)] : []));
    if (reports.length > 0) await tx.insertInto('reports').values(reports).execute();
  }
  const count = (status: Ran['status']): number =>
    runs.filter((run) => run.status === status).length;
  const answered = runs.filter(({ status }) => status === 'success' || status === 'failed');
  const last = answered.at(-1);
  const bad = answered.slice(answered.findLastIndex(({ status }) => status === 'success') + 1);
  await tx
    .updateTable('jobs')
    .set({
      health: last === undefined ? 'new' : bad.length === 0 ? 'up' : 'down',
      failures: bad.length,
      failing_since: bad[0]?.scheduled_for ?? null,
      down_reason: bad.length === 0 ? null : 'http: 503',
      created_at: past.beginMs,
      anchor_at: anchorAt,
      history_from: all.length > runs.length ? (all.at(-mostRuns - 1)?.scheduled_for ?? 0) : 0,
      last_run_at: last?.scheduled_for ?? null,
      last_duration_ms: last?.duration_ms ?? null,
      claimed_up_to: last?.scheduled_for ?? null,
      total_success: count('success'),
      total_failed: count('failed'),
      total_interrupted: count('interrupted'),
      total_missed: count('missed'),
    })
    .where('id', '=', id)
    .execute();
  await tx
    .updateTable('schedule_spans')
    .set({ from_at: past.beginMs, anchor_at: anchorAt })
    .where('job_id', '=', id)
    .execute();
}

/** What the target of a long run reported. */
function reportOf({ id, scheduled_for: at, finished_at }: Ran & { id: string }) {
  const reported = { reported_at: finished_at, reported_by: 'target', outcome: 'success' } as const;
  return { run_id: id, accepted_at: at, expires_at: at + longestWaitMs, ...reported };
}

type Ran = Omit<Insertable<RunRow>, 'id' | 'job_id' | 'workspace_id' | 'source'>;

/** What ran by a schedule until `end`: all due times but those of the outage, of which one run says that they were missed. What it cut off ends with it. */
function runsOf(
  schedule: ReturnType<typeof scheduleOf>,
  { nowMs, beginMs, seconds, doing }: Past,
  end: number,
): Ran[] {
  const [from, to] = [nowMs - outageHours.from * hourMs, nowMs - outageHours.to * hourMs];
  const runs: Ran[] = [];
  const missed: number[] = [];
  for (let at = nextDue(schedule, beginMs); at !== null && at <= end; at = nextDue(schedule, at)) {
    if (at > from && at < to) missed.push(at);
    else runs.push(runAt(at));
  }
  const [first] = missed;
  if (first === undefined) return runs;
  const of = {
    last_due_at: missed.at(-1) ?? first,
    missed_count: missed.length,
    hindered_from: from,
    hindered_until: to,
  };
  return [
    ...runs,
    { ...of, attempts: 0, status: 'missed', scheduled_for: first, reason: 'not_running' },
  ];

  function runAt(at: number): Ran {
    const share = 800 + spreadOffset(`took ${at}`, 400);
    const ms = Math.min(end - at, Math.round(seconds * share));
    const times = { scheduled_for: at, started_at: at, finished_at: at + ms, attempts: 1 };
    if (at < from && at + ms > from) return { ...times, ...cutOff, finished_at: to };
    const isLong = seconds > longestCall;
    const isBroken =
      doing === 'failing'
        ? at > nowMs - 5 * hourMs
        : doing === 'flaky' && spreadOffset(`${at}`, 70) === 5;
    return isBroken
      ? { ...times, status: 'failed', duration_ms: ms, http_status: 503, reason: 'http' }
      : { ...times, status: 'success', duration_ms: ms, http_status: isLong ? 202 : 200 };
  }
}
