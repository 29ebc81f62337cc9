/** `jobd ledger check`: whether every due time is accounted for. */

import type { Command } from 'commander';
import type { LedgerJob } from './contract.ts';
import type { Flags } from '../../settings/config.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import type { SpanEnd } from '../../domain/schedule/span.ts';
import { pages } from '../../cli/client/client.ts';
import { connect } from '../../cli/client/connect.ts';
import { queryOf } from '../../cli/client/path.ts';
import type { Context } from '../../cli/context.ts';
import { parseMoment } from '../../cli/options.ts';
import { moment } from '../../cli/terminal/cell.ts';
import { printFields, printJson, printRows, type Output } from '../../cli/terminal/output.ts';
import { counted } from '../../domain/counted.ts';

/** Adds the command. */
export function addLedgerCommands(program: Command, context: Context): void {
  program
    .command('ledger')
    .description('check that every due time is accounted for')
    .command('check')
    .argument('[job]', 'only this job')
    .description('compute due times again, and compare them with what happened')
    .option('--since <when>', 'due times since: a time, or an age such as 7d (default 24h)')
    .option('--until <when>', 'due times up to: a time, or an age such as 2h (default now)')
    .addHelpText(
      'after',
      `
Examples:
  jobd ledger check
  jobd ledger check backup --since 30d

Each due time has a run, or is in a missed one, or its schedule had ended.
The exit code is 1 if anything is not accounted for.`,
    )
    .action((name: string | undefined, flags: Flags) => check(name, flags, context));
}

async function check(name: string | undefined, flags: Flags, context: Context): Promise<void> {
  const { output } = context;
  const now = systemClock.now();
  const timeOf = async (flag: 'since' | 'until', text: unknown): Promise<string | null> =>
    typeof text === 'string' ? isoTime(await parseMoment(text, `--${flag}`, now, -1)) : null;
  const [since, until] = [
    await timeOf('since', flags['since'] ?? '24h'),
    await timeOf('until', flags['until']),
  ];
  const api = connect(context, { waits: true });
  const jobId = name === undefined ? null : (await api.jobs.find(name)).id;
  const jobs = new Map<string, LedgerJob>();
  const asked = `/ledger${queryOf({ jobId, since, until })}`;
  for await (const part of pages<LedgerJob>(api.ask, asked, 'jobs')) {
    const job = jobs.get(part.id);
    if (job === undefined) jobs.set(part.id, part);
    else add(job, part);
  }
  const all = [...jobs.values()];
  const wrong = all.flatMap(findingsOf);
  if (wrong.length > 0) context.exitCode = 1;
  if (flags['json']) {
    return printJson(output, {
      since,
      until: until ?? isoTime(now),
      isComplete: wrong.length === 0,
      jobs: all,
    });
  }
  printSums(output, all, { since, until: until ?? isoTime(now) });
  if (wrong.length > 0) {
    printRows(output, wrong, {
      job: ({ job }) => job,
      'due time': ({ first }) => moment(first),
      to: ({ first, last }) => (first === last ? null : moment(last)),
      times: ({ count }) => count,
      finding: ({ finding }) => finding,
    });
  } else output.say('every due time is accounted for');
}

/** A job with a long history comes in parts. */
function add(job: LedgerJob, part: LedgerJob): void {
  job.called += part.called;
  job.missed += part.missed;
  job.waiting += part.waiting;
  for (const reason of reasons) job.explainedBy[reason] += part.explainedBy[reason];
  job.explained.push(...part.explained);
  job.unaccounted.push(...part.unaccounted);
  job.unexpected.push(...part.unexpected);
}

/** Something that is not accounted for. */
interface Finding {
  job: string;
  first: string;
  last: string;
  count: number;
  finding: string;
}

function findingsOf({ name: job, unaccounted, unexpected }: LedgerJob): Finding[] {
  return [
    ...unaccounted.map((times) => ({
      job,
      ...times,
      finding: 'due, and nothing says what became of it',
    })),
    ...unexpected.map((at) => ({
      job,
      first: at,
      last: at,
      count: 1,
      finding: 'a run, and no schedule was due',
    })),
  ];
}

const explanations: Readonly<Record<SpanEnd, string>> = {
  paused: 'while their jobs were paused',
  changed: 'of schedules that were changed meanwhile',
  expired: 'while the account had expired',
  corrected: 'before the clock was set',
  held: 'in holds',
  restored: 'of which the database before a restore has the runs',
};

const reasons = Object.keys(explanations) as SpanEnd[];

function printSums(
  output: Output,
  jobs: readonly LedgerJob[],
  { since, until }: { since: string | null; until: string },
): void {
  const sum = (of: (job: LedgerJob) => number): number =>
    jobs.reduce((all, job) => all + of(job), 0);
  const notCalled = reasons.flatMap((reason) => {
    const count = sum(({ explainedBy }) => explainedBy[reason]);
    return count === 0 ? [] : [`${count} ${explanations[reason]}`];
  });
  const shortened = jobs.filter(({ keptFrom }) => keptFrom !== null).length;
  printFields(output, {
    since: moment(since),
    until: moment(until),
    jobs: jobs.length,
    called: sum(({ called }) => called),
    missed: sum(({ missed }) => missed),
    waiting: sum(({ waiting }) => waiting),
    ...(notCalled.length > 0 && { 'not called': notCalled.join(', ') }),
    ...(shortened > 0 && {
      'kept in part': `${counted(shortened, 'job')}: older runs were removed`,
    }),
  });
}
