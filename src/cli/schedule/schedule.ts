/** `jobd schedule`: previews schedules, without a server or a database. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { PreviewInput } from '../../domain/schedule/preview-input.ts';
import type { Context } from '../context.ts';
import { optionWords } from '../client/option-words.ts';
import { adjustmentFields } from '../../domain/schedule/fields.ts';
import { givenFields, withFieldOptions } from '../fields.ts';
import { parseWholeNumber } from '../../settings/setting.ts';
import { printJson } from '../terminal/output.ts';
import { unquotedText } from '../unknown-words.ts';
import { parsePeriod, textFlag } from './schedule-options.ts';

/** What adjusts an expression or an interval. */
const { runAt: _, ...previewed } = adjustmentFields;

/** Adds the commands. */
export function addScheduleCommands(program: Command, { output }: Context): void {
  const schedule = program.command('schedule').description('preview when a schedule is due');

  withFieldOptions(schedule.command('preview'), previewed, { isNew: false })
    .argument('[expr...]', 'cron expression, in quotes')
    .usage("[options] '<expr>'")
    .description('show the next due times of a schedule; needs no server')
    .option('--tz <zone>', 'IANA time zone of the expression (default that of this machine)')
    .option('--every <duration>', 'fixed interval such as 5m, instead of an expression')
    .option('--count <n>', 'how many due times, 1 to 100 (default 5)')
    .option('--from <time>', 'start: ISO 8601 with an offset or Z (default now)')
    .addHelpText(
      'after',
      `
Examples:
  jobd schedule preview '30 2 * * *' --tz Europe/Paris --from 2026-03-28T00:00Z
  jobd schedule preview '0 9 * * mon-fri' --tz America/New_York --count 10
  jobd schedule preview --every 90m

In a pipe, each line is a due time in the zone, a tab, and the same time in UTC.
Effects of clock changes are explained on stderr and in the JSON document.`,
    )
    .action(async (exprs: string[], flags: Flags) => {
      const { previewCount, previewSchedule } =
        await import('../../domain/schedule/preview-input.ts');
      const given = await inputOf(exprs, flags, previewCount);
      const { machineZone, shownZone, zoneNote } = await import('./machine-zone.ts');
      const zoneOf = given.scheduleType === 'cron' ? machineZone : shownZone;
      const input = { ...given, timezone: given.timezone ?? zoneOf() };
      const preview = inWords(() => previewSchedule(input, systemClock.now()));
      const isGuess = given.timezone === undefined && given.scheduleType === 'cron';
      if (isGuess) output.say(zoneNote(input.timezone));
      const { words, next, notes } = preview;
      if (flags['json']) return printJson(output, { words, next: next.map(isoTime), notes });
      const { printPreview } = await import('./preview.ts');
      if (output.isTerminal && words !== input.cronExpr) {
        output.data(words);
        output.data('');
      }
      printPreview(output, preview, { sinceNow: input.from === undefined });
      if (output.isTerminal && input.scheduleType !== 'period') {
        const { zoneDataText } = await import('../../domain/schedule/zone-data.ts');
        output.say(`time-zone data of ${zoneDataText()}`);
      }
    });
}

/** Refusals in the words of the command line. */
function inWords<T>(preview: () => T): T {
  try {
    return preview();
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const sentence = optionWords(error.message)
      .replace(/^--cron/, 'the expression')
      .replace(/^from\b/, '--from');
    throw new JobdError(error.code, sentence, { cause: error });
  }
}

/** The fields that the arguments give. Throws `invalid_input` and `usage`, naming the option. */
async function inputOf(
  words: readonly string[],
  flags: Flags,
  countLimits: { min: number; max: number },
): Promise<PreviewInput> {
  const [tz, every, count, from] = ['tz', 'every', 'count', 'from'].map((flag) =>
    textFlag(flags, flag),
  );
  return {
    ...scheduleOf(words, every),
    ...(await givenFields<PreviewInput>(flags, previewed)),
    ...(tz !== undefined && { timezone: tz }),
    ...(count !== undefined && { count: parseWholeNumber(count, '--count', countLimits) }),
    ...(from !== undefined && { from }),
  };
}

function scheduleOf(words: readonly string[], every: string | undefined): PreviewInput {
  const [cronExpr, ...more] = words;
  if (more.length > 0) {
    throw new JobdError('usage', unquotedText(words.length));
  }
  if ((cronExpr === undefined) === (every === undefined)) {
    throw new JobdError('usage', 'use either a cron expression, in quotes, or --every');
  }
  return every === undefined
    ? { scheduleType: 'cron', cronExpr: cronExpr ?? null }
    : { scheduleType: 'period', periodSeconds: parsePeriod(every) };
}
