/** `jobd report`: what became of the calls of a month, over the API. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { cannotMake, writeNewFile } from '../../base/whole-file.ts';
import { pages } from '../../cli/client/client.ts';
import { connect } from '../../cli/client/connect.ts';
import type { Api } from '../../cli/client/api.ts';
import { path, queryOf } from '../../cli/client/path.ts';
import { clientConfig } from '../../cli/client/settings.ts';
import type { Context } from '../../cli/context.ts';
import { selectorOf, unfitWords, withSelector } from '../../cli/selection.ts';
import { printJson } from '../../cli/terminal/output.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { counted } from '../../domain/counted.ts';
import { isId } from '../../domain/id.ts';
import type { Flags } from '../../settings/config.ts';
import { parseChoice } from '../../settings/setting.ts';
import type { ReportedJob, ReportedMonitor } from './contract.ts';
import type { Month } from './month.ts';
import type { Format } from './render.ts';

const formats: readonly Format[] = ['md', 'csv', 'html'];

/** Adds the command. */
export function addReportCommand(program: Command, context: Context): void {
  withSelector(program.command('report'), 'only of jobs and monitors')
    .description('report on the calls of a month, as Markdown, CSV or HTML')
    .option('--month <month>', 'the month, such as 2026-11 (default the last one that is over)')
    .option('--tz <zone>', 'IANA time zone whose month it is (default that of this machine)')
    .option('--format <format>', formats.join(', '), 'md')
    .option('--receipts <dir>', 'make this directory, with the receipts that recount it')
    .addHelpText(
      'after',
      `
Examples:
  jobd report --month 2026-11 -l client=acme > report.md
  jobd report -l client=acme --format html --receipts receipts > report.html
  curl -fsS https://jobs.example.com/api/v1/receipts/keys -o keys.json
  jobd verify receipts/ keys.json

Answered calls have receipts, from which anybody can recount them. The report
says what receipts cannot show.`,
    )
    .action((flags: Flags) => report(flags, context));
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name.localeCompare(other.name, 'en');
}

async function report(flags: Flags, context: Context): Promise<void> {
  const { output } = context;
  const format = parseChoice(String(flags['format']), '--format', formats);
  const selector = selectorOf(flags);
  // Loaded here: help and completion need none of it.
  const { machineZone, zoneNote } = await import('../../cli/schedule/machine-zone.ts');
  const { canonicalZone } = await import('../../domain/schedule/zone.ts');
  const { readMonth } = await import('./month.ts');
  const { renderReport } = await import('./render.ts');
  const timezone = canonicalZone(String(flags['tz'] ?? machineZone()), '--tz');
  if (flags['tz'] === undefined) output.say(zoneNote(timezone));
  const now = systemClock.now();
  const month = readMonth(flags['month'] as string | undefined, timezone, now);
  const api = connect(context, { waits: true });
  const asked = queryOf({ month: month.month, timezone, selector });
  const jobs = await Array.fromAsync(pages<ReportedJob>(api.ask, `/report/jobs${asked}`, 'jobs'));
  const monitors = await Array.fromAsync(
    pages<ReportedMonitor>(api.ask, `/report/monitors${asked}`, 'monitors'),
  );
  if (selector !== null && jobs.length + monitors.length === 0) {
    output.say(`${selector} ${unfitWords(selector)}`);
  }
  const made = {
    ...month,
    selector,
    now,
    jobs: jobs.toSorted(byName),
    monitors: monitors.toSorted(byName),
  };
  if (typeof flags['receipts'] === 'string') {
    const kept = await keepReceipts(api, made, flags['receipts']);
    output.say(`${flags['receipts']}: ${counted(kept, 'receipt')}`);
  }
  if (flags['json']) {
    const times = { from: isoTime(month.from), until: isoTime(month.until), now: isoTime(now) };
    printJson(output, { ...made, ...times });
  } else {
    const directory = String(flags['receipts'] ?? 'receipts');
    const text = renderReport({ ...made, directory, url: clientConfig().url }, format);
    for (const line of text.split('\n')) output.data(line);
  }
}

/** Makes the directory, with a file for each job that has receipts, a line each, the oldest first. Returns how many there are. Throws `conflict` if it exists. */
async function keepReceipts(
  { ask }: Api,
  { jobs, month, timezone }: Month & { jobs: readonly ReportedJob[] },
  directory: string,
): Promise<number> {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    throw cannotMake(directory, error);
  }
  let kept = 0;
  for (const { id, receipts } of jobs) {
    if (receipts.success + receipts.failed === 0 || !isId(id)) continue;
    const asked = path`/jobs/${id}/receipts` + queryOf({ month, timezone });
    const texts = await Array.fromAsync(pages<string>(ask, asked, 'receipts'));
    writeNewFile(join(directory, `${id}.ndjson`), [
      texts
        .toReversed()
        .map((text) => `${text}\n`)
        .join(''),
    ]);
    kept += texts.length;
  }
  return kept;
}
