/** `jobd trouble`: what went wrong, once each, over the API. */

import type { Command } from 'commander';
import type { OverviewResponse, TroubleRow } from '../api/overview/contract.ts';
import { counted } from '../domain/counted.ts';
import { isoTime, systemClock } from '../domain/clock.ts';
import { messageOf } from '../domain/errors.ts';
import { replayCommand, troubleText } from '../domain/runs/trouble.ts';
import type { Flags } from '../settings/config.ts';
import { requestReadiness } from './client/client.ts';
import { connect } from './client/connect.ts';
import { clientConfig } from './client/settings.ts';
import type { Context } from './context.ts';
import { listLimitOf, parseMoment, withListLimit } from './options.ts';
import { take } from './runs/list.ts';
import { selectorOf, withSelector } from './selection.ts';
import { windowsNow } from './mutes.ts';
import { moment, state } from './terminal/cell.ts';
import { printJson, printRows } from './terminal/output.ts';
import { timesText } from './terminal/times.ts';

const mostRows = 1_000;
/** The most outages for which the command that replays them is shown. */
const mostTold = 3;

/** Adds the command. */
export function addTroubleCommand(program: Command, context: Context): void {
  const { output } = context;
  withSelector(withListLimit(program.command('trouble'), mostRows), 'only of jobs')
    .description('list what went wrong, once each, newest first')
    .option('--since <when>', 'since a time, or an age such as 12h', '24h')
    .addHelpText(
      'after',
      `
Examples:
  jobd trouble
  jobd trouble --since 7d

An outage of jobd is one row, with all that it made jobs miss. What went wrong
with one job otherwise is one row: while it is down all since, else with up to
an hour between its runs.
Runs one by one: jobd runs list. Why: jobd explain JOB.
Monitors that are down are counted: why, says jobd status.`,
    )
    .action(async (flags: Flags) => {
      const limit = listLimitOf(flags, mostRows);
      const now = systemClock.now();
      const since = await parseMoment(String(flags['since']), '--since', now, -1);
      const { trouble, ask } = connect(context);
      const rows = trouble({ since: isoTime(since), selector: selectorOf(flags) });
      const found = await take(rows, limit + 1);
      const shown = found.slice(0, limit);
      const { overview } = await ask<OverviewResponse>('GET', '/overview');
      for (const [name, text] of Object.entries(windowsNow(overview, now)))
        output.say(`${name}: ${text}`);
      await requestReadiness(`${clientConfig().url}/readyz`).catch((error: unknown) =>
        output.say(`now: ${messageOf(error)}`),
      );
      const { down } = overview.monitors;
      if (down > 0)
        output.say(`${counted(down, 'monitor')} down: jobd monitors list --status down`);
      if (flags['json']) return printJson(output, { trouble: shown });
      const none = `nothing went wrong since ${timesText({ from: isoTime(since), until: isoTime(since) }, now)}`;
      printRows(output, shown, troubleColumns(output, now), { none, wrapsLast: true });
      for (const row of shown.filter(canBeReplayed).slice(0, mostTold)) {
        output.say(
          `to see what is left of the outage ${timesText(row, now)}: ${replayCommand(row)} --dry-run`,
        );
      }
      if (found.length > limit) output.say(`there are more than ${limit}: see --limit`);
    });
}

/** Whether its newest run stands for a due time: one by hand may stand for none. */
function canBeReplayed({ kind, last: { source, dueAt } }: TroubleRow): boolean {
  return kind === 'outage' && (source === 'scheduled' || dueAt !== undefined);
}

/** The columns of its table. */
export function troubleColumns({ isTerminal }: { isTerminal: boolean }, now: number) {
  const times = {
    from: ({ from }: TroubleRow) => moment(from),
    until: ({ until }: TroubleRow) => moment(until),
  };
  return {
    ...(isTerminal ? { when: (row: TroubleRow) => state(timesText(row, now)) } : times),
    of: ({ kind, last }: TroubleRow) => (kind === 'outage' ? 'jobd' : last.job.name),
    now: (row: TroubleRow) => row.now && state(row.now),
    trouble: (row: TroubleRow) => troubleText(row),
  };
}
