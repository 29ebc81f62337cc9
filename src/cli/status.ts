/** `jobd status`: how a workspace is doing, on one screen. */

import type { Command } from 'commander';
import type { Me } from '../api/accounts/contract.ts';
import type {
  JobSummary,
  MonitorSummary,
  OverviewResponse,
  TroubleList,
} from '../api/overview/contract.ts';
import { isoTime, msPerDay, systemClock } from '../domain/clock.ts';
import { messageOf } from '../domain/errors.ts';
import { whyDown } from '../domain/monitors/status.ts';
import { troubleText } from '../domain/runs/trouble.ts';
import { waitOf } from './alerts/advice.ts';
import { requestReadiness } from './client/client.ts';
import { connect } from './client/connect.ts';
import { queryOf } from './client/path.ts';
import { clientConfig } from './client/settings.ts';
import type { Context } from './context.ts';
import { cellText, moment, state } from './terminal/cell.ts';
import { printFields, printJson, printRows, type Output } from './terminal/output.ts';
import { timesText } from './terminal/times.ts';
import { coveredUntil, windowColumns, windowsNow } from './mutes.ts';

/** Rows of what is down; more are counted. */
const mostDown = 20;
/** Jobs among which the next one is looked for: their order is that without holds. */
const mostDue = 100;
/** How far back an outage is looked for. */
const outageDays = 7;

/** Adds the command. */
export function addStatusCommand(program: Command, context: Context): void {
  program
    .command('status')
    .description('show on one screen how everything is doing')
    .addHelpText(
      'after',
      '\nEnds with 0 if the server is ready, the account has not expired and nothing is\ndown, else with 1.\n\nExample:\n  jobd status || echo look',
    )
    .action(async (flags: { json?: true }) => {
      const found = await read(context);
      const { server, account, down } = found;
      const isWell = server.trouble === null && !hasExpired(account) && down.length === 0;
      context.exitCode = isWell ? 0 : 1;
      if (flags.json) printJson(context.output, found);
      else print(context.output, found);
    });
}

async function read(context: Context) {
  const { ask, channels } = connect(context, { waits: true });
  const { url } = clientConfig();
  const { overview } = await ask<OverviewResponse>('GET', '/overview');
  const { plan, usage, expiresAt } = await ask<Me>('GET', '/me');
  const rows = `status=down&limit=${mostDown}`;
  const { jobs } = await ask<{ jobs: JobSummary[] }>('GET', `/overview/jobs?${rows}`);
  const { monitors } = await ask<{ monitors: MonitorSummary[] }>(
    'GET',
    `/overview/monitors?${rows}`,
  );
  const due = await ask<{ jobs: JobSummary[] }>('GET', `/overview/jobs?order=due&limit=${mostDue}`);
  const [next] = due.jobs
    .filter(({ nextRunAt }) => nextRunAt !== null)
    .toSorted((one, other) => String(one.nextRunAt).localeCompare(String(other.nextRunAt)));
  const waiting = [];
  for await (const channel of channels.list()) {
    const { waits } = waitOf(channel);
    const because = channel.lastDelivery?.lastError ?? 'no error is known';
    if (waits !== undefined) waiting.push({ ...named(channel), waits, because });
  }
  const weekAgo = isoTime(systemClock.now() - outageDays * msPerDay);
  const outages = await ask<TroubleList>(
    'GET',
    `/overview/trouble${queryOf({ kind: 'outage', limit: 5, since: weekAgo })}`,
  );
  const server = await requestReadiness(`${url}/readyz`).then(
    (notes) => ({ url, trouble: null, notes }),
    (error: unknown) => ({ url, trouble: messageOf(error), notes: [] }),
  );
  return {
    server,
    account: { expiresAt, used: usage.jobs + usage.monitors, most: plan.jobs },
    overview,
    lastOutage: outages.trouble[0] ?? null,
    outagesArePartial: outages.isPartial,
    waiting,
    down: [
      ...jobs.map(({ failingSince: since, downReason: because, ...job }) => {
        return { kind: 'job', ...named(job), since, because, ...coveredUntil(job) };
      }),
      ...monitors.map(({ since, ...monitor }) => {
        const because = whyDown(monitor.missedDueAt);
        return { kind: 'monitor', ...named(monitor), since, because, ...coveredUntil(monitor) };
      }),
    ],
    nextDue: next === undefined ? null : { id: next.id, name: next.name, at: next.nextRunAt },
  };
}

const named = ({ id, name }: { id: string; name: string }) => ({ id, name });

type Found = Awaited<ReturnType<typeof read>>;

function print(
  output: Output,
  { server, account, overview, lastOutage: outage, outagesArePartial, ...others }: Found,
): void {
  const { waiting, down, nextDue } = others;
  const { jobs, monitors, lastDay } = overview;
  const { expiresAt, used, most } = account;
  const now = Date.now();
  const timeText = (at: string): string => cellText(output, moment(at), now);
  const noOutage = outagesArePartial
    ? 'none among the newest 10,000 runs that were no success'
    : `none in the last ${outageDays} days`;
  printFields(output, {
    server: `${server.url}: ${server.trouble ?? 'ready'}`,
    ...(server.notes.length > 0 && { notes: server.notes.join('; ') }),
    ...(used >= (most ?? Infinity) && { account: `full: ${used} of ${most} jobs and monitors` }),
    ...(hasExpired(account) && {
      account: `expired ${timeText(expiresAt ?? '')}: its jobs are not called`,
    }),
    jobs: countsText(jobs.total, jobs),
    monitors: countsText(monitors.total, monitors),
    'last 24 h': countsText(null, lastDay),
    'last outage':
      outage === null
        ? noOutage
        : `${timeText(outage.until)}, ${timesText(outage, now)}: ${troubleText(outage)}`,
    ...(waiting.length > 0 && {
      channels: waiting
        .map(({ name, waits, because }) => `${name}: ${waits} (${because})`)
        .join('; '),
    }),
    ...windowsNow(overview, now),
    'next due': nextDue?.at ? `${nextDue.name}, ${timeText(nextDue.at)}` : 'none',
  });
  if (down.length === 0) return;
  if (output.isTerminal) output.data('');
  printRows(
    output,
    down,
    {
      down: ({ name }) => name,
      kind: ({ kind }) => state(kind),
      since: ({ since }) => moment(since),
      ...windowColumns,
      because: ({ because }) => because,
    },
    { optional: Object.keys(windowColumns), wrapsLast: true },
  );
  const more = jobs.down + monitors.down - down.length;
  if (more > 0) output.say(`and ${more} more: jobd jobs list --status down`);
}

function hasExpired({ expiresAt }: Found['account']): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= systemClock.now();
}

/** `12: 2 down, 10 up; 3 running`: what there is none of is left out. Those that run are counted by their state, too. */
function countsText(
  total: number | null,
  { running = 0, ...counts }: Readonly<Record<string, number | boolean>>,
): string {
  const parts = Object.entries(counts).flatMap(([name, count]) =>
    name !== 'total' && typeof count === 'number' && count > 0 ? [`${count} ${name}`] : [],
  );
  const text = (parts.join(', ') || 'none') + (running === 0 ? '' : `; ${running} running`);
  return total === null || total === 0 ? text : `${total}: ${text}`;
}
