/** `jobd runs list`: what happened, of one job or of all. */

import type { Command } from 'commander';
import type { ListedRun, RunSummary } from '../../api/runs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { readRunStatuses, runStatuses } from '../../domain/runs/run.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { listLimitOf, parseMoment, withListLimit, withWide } from '../options.ts';
import { commasAdvice, selectorOf, withSelector } from '../selection.ts';
import { idCell, moment, state } from '../terminal/cell.ts';
import { printJson, printRows, type Columns } from '../terminal/output.ts';

const mostRuns = 10_000;

/** What is asked for. Times are ISO 8601. */
export interface Wanted {
  status: string | null;
  selector: string | null;
  since: string | null;
  until: string | null;
}

/** Adds the command. */
export function addListCommand(runs: Command, context: Context): void {
  const { output } = context;
  const list = runs.command('list').argument('[job]', 'only runs of this job');
  withSelector(withWide(withListLimit(list, mostRuns)), 'only runs of jobs')
    .description('list the latest runs of all jobs or of one, newest first')
    .option('--status <status>', `only runs with these, with commas: ${runStatuses.join(', ')}`)
    .option('--since <when>', 'only runs due since: a time, or an age such as 12h')
    .option('--until <when>', 'only runs due before: a time, or an age such as 2h')
    .addHelpText(
      'after',
      `
Examples:
  jobd runs list --status failed,missed,interrupted --since 12h
  jobd runs list backup --limit 10`,
    )
    .action(async (name: string | undefined, flags: Flags) => {
      const limit = listLimitOf(flags, mostRuns);
      const wanted = await wantedOf(flags, name);
      const api = connect(context, { waits: limit > 1_000 || process.stderr.isTTY });
      const isFiltered = Object.values(wanted).some((value) => value !== null);
      const job = name === undefined ? null : await api.jobs.find(name);
      if (flags['json'] && job !== null && !isFiltered && limit <= 100) {
        return printJson(output, await api.runs.list(job.id, limit));
      }
      const found = await take(runsOf(api, job?.id ?? null, wanted), limit + 1);
      const shown = found.slice(0, limit);
      if (flags['json']) printJson(output, { runs: shown });
      else {
        const none = isFiltered
          ? `no run matches${commasAdvice(wanted.selector)}`
          : 'there are no runs yet';
        const optional = ['ms', 'attempts', 'id'];
        const columns = job === null ? ofAll : ofOne;
        printRows(output, shown, columns, { none, optional, isWide: flags['wide'] === true });
      }
      if (found.length > limit) output.say(`there are more than ${limit}: see --limit`);
    });
}

const ofOne: Columns<RunSummary> = {
  status: ({ status }) => state(status),
  'scheduled for': ({ scheduledFor }) => moment(scheduledFor),
  http: ({ httpStatus }) => httpStatus,
  ms: ({ durationMs }) => durationMs,
  attempts: ({ attempts }) => attempts,
  error: ({ error }) => error,
  id: ({ id }) => idCell(id),
};

const ofAll: Columns<RunSummary & Partial<ListedRun>> = {
  job: ({ job }) => job?.name ?? null,
  ...ofOne,
};

/** What options ask for. Throws `usage` for what they cannot mean. */
export async function wantedOf(flags: Flags, job?: string): Promise<Wanted> {
  const now = systemClock.now();
  const time = async (flag: 'since' | 'until'): Promise<string | null> => {
    const text = flags[flag];
    if (typeof text !== 'string') return null;
    return isoTime(await parseMoment(text, `--${flag}`, now, -1));
  };
  const { status } = flags;
  const selector = selectorOf(flags);
  if (selector !== null && job !== undefined) {
    throw new JobdError('usage', 'name a job, or use --selector');
  }
  const [since, until] = [await time('since'), await time('until')];
  if (since !== null && until !== null && since > until)
    throw new JobdError('usage', '--since is later than --until');
  const statuses =
    typeof status === 'string' ? readRunStatuses(status, '--status').join(',') : null;
  return { selector, status: statuses, since, until };
}

/** The runs of a job, or of all: newest first. Those of all have their job with them. */
export async function* runsOf(
  api: Api,
  jobId: string | null,
  { status = null, selector = null, since = null, until = null }: Partial<Wanted>,
): AsyncGenerator<RunSummary> {
  const found =
    jobId === null
      ? api.runs.all({ status, selector, since, until })
      : api.runs.history(jobId, { status, before: until });
  for await (const run of found) {
    if (since !== null && run.scheduledFor < since) break;
    yield run;
  }
}

/** The first items, up to `count`. */
export async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
