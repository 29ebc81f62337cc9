/**
 * `jobd schedule`: schedules, looked at without server or store. What reads them is loaded only where
 * it is used: a command line stands in shell loops, and its start counts.
 */

import type { Command } from 'commander';
import type { Flags } from '../../config.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { PreviewInput } from '../../domain/schedule/preview-input.ts';
import type { Context } from '../context.ts';
import { parseDuration } from '../options/duration.ts';
import { printJson } from '../terminal/output.ts';
import { textFlag } from './schedule-options.ts';
import { parseWholeNumber } from '../options/whole-number.ts';

/** Adds the commands. */
export function addScheduleCommands(program: Command, { output }: Context): void {
  const schedule = program.command('schedule').description('see when a schedule is due');

  schedule
    .command('preview')
    .argument('[expr...]', 'cron expression, in quotes')
    .usage("[options] '<expr>'")
    .description('show the next due times of a schedule; needs no server')
    .option('--tz <zone>', 'IANA time zone of the expression (default Europe/Paris)')
    .option('--every <duration>', 'a fixed interval such as 5m, instead of an expression')
    .option('--count <n>', 'how many due times, 1 to 100 (default 5)')
    .option('--from <time>', 'when to begin: ISO 8601 with an offset or Z (default now)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        "  jobd schedule preview '30 2 * * *' --tz Europe/Paris --from 2026-03-28T00:00Z\n" +
        "  jobd schedule preview '0 9 * * mon-fri' --tz America/New_York --count 10\n" +
        '  jobd schedule preview --every 90m\n' +
        '\nIn a pipe, a line is a due time as the zone has it, a tab, and the same in UTC.\n' +
        'What clock changes do to the schedule is said on stderr, and is in the JSON\n' +
        'document.',
    )
    .action(async (words: string[], flags: Flags) => {
      const { previewCount, previewSchedule } =
        await import('../../domain/schedule/preview-input.ts');
      const input = inputOf(words, flags, previewCount);
      const preview = previewSchedule(input, systemClock.now());
      const { next, notes } = preview;
      if (flags['json']) return printJson(output, { next: next.map(isoTime), notes });
      const { printPreview } = await import('./preview.ts');
      printPreview(output, preview, { sinceNow: input.from === undefined });
    });
}

/** The fields that words and options give. Throws `invalid_input` and `usage`, naming the option. */
function inputOf(
  words: readonly string[],
  flags: Flags,
  countLimits: { min: number; max: number },
): PreviewInput {
  const [tz, every, count, from] = ['tz', 'every', 'count', 'from'].map((flag) =>
    textFlag(flags, flag),
  );
  return {
    ...scheduleOf(words, every),
    ...(tz !== undefined && { timezone: tz }),
    ...(count !== undefined && { count: parseWholeNumber(count, '--count', countLimits) }),
    ...(from !== undefined && { from }),
  };
}

function scheduleOf(words: readonly string[], every: string | undefined): PreviewInput {
  const [cronExpr, ...more] = words;
  if (more.length > 0) {
    const example = "'0 9 * * mon'";
    throw new JobdError(
      'usage',
      `put the expression in quotes, as in ${example}: the shell made ${words.length} words of it`,
    );
  }
  if ((cronExpr === undefined) === (every === undefined)) {
    throw new JobdError('usage', 'give either a cron expression, in quotes, or --every');
  }
  return every === undefined
    ? { scheduleType: 'cron', cronExpr: cronExpr ?? null }
    : { scheduleType: 'period', periodSeconds: parseDuration(every, '--every') };
}
