/** The schedule options of jobs and monitors. */

import type { Command } from 'commander';
import type { JobUpdate } from '../../api/jobs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { ifPossible, invalidInput, JobdError, unlessRefused } from '../../domain/errors.ts';
import { periodWords } from '../../domain/schedule/period-words.ts';
import { scheduleFields } from '../../domain/schedule/fields.ts';
import { ruleOf, type ScheduleSettings } from '../../domain/schedule/schedule.ts';
import { parseDuration } from '../../settings/setting.ts';

/** Adds `--cron`, `--tz` and `--every`. */
export function withScheduleOptions(command: Command, isNew: boolean): Command {
  const { cronExpr, timezone } = scheduleFields;
  return command
    .option('--cron <expr>', cronExpr.help)
    .option('--tz <zone>', `${timezone.help}${isNew ? ' (default that of this machine)' : ''}`)
    .option('--every <duration>', 'interval of 1m or more, instead of --cron');
}

type ScheduleFields = Pick<JobUpdate, 'scheduleType' | 'cronExpr' | 'timezone' | 'periodSeconds'>;

/** The fields that these options give. Throws `invalid_input`, naming the option. */
export function scheduleFieldsOf(flags: Flags): ScheduleFields {
  const [cron, tz, every] = ['cron', 'tz', 'every'].map((flag) => textFlag(flags, flag));
  if (cron !== undefined && every !== undefined) {
    throw invalidInput('use either --cron or --every, not both');
  }
  return {
    ...(cron !== undefined && { scheduleType: 'cron' as const, cronExpr: cron }),
    ...(tz !== undefined && { timezone: tz }),
    ...(every !== undefined && {
      scheduleType: 'period' as const,
      periodSeconds: parsePeriod(every),
    }),
  };
}

/** The seconds of `--every`. Throws `invalid_input`. */
export function parsePeriod(every: string): number {
  const { minimum: min, maximum: max } = scheduleFields.periodSeconds.rule;
  return parseDuration(every, '--every', { min, max });
}

/** Fields with a time zone, and what to say about it once they are taken. */
export interface Zoned<Fields> {
  fields: Fields;
  note: string | null;
}

/** The fields that these options give something new, which needs a schedule. Throws `usage`, with what may be given `otherwise`, and `invalid_input`, naming the option. */
export function newScheduleOf(flags: Flags, otherwise = ''): ScheduleFields {
  const fields = scheduleFieldsOf(flags);
  if (fields.scheduleType === undefined) {
    throw new JobdError('usage', `say when: --cron '30 2 * * *' or --every 5m${otherwise}`);
  }
  return fields;
}

/** The fields of an update. The zone stays, but one that nobody may have chosen where no expression counted so far: the default. */
export async function zonedUpdateOf<Update extends ScheduleFields>(
  found: Pick<ScheduleSettings, 'scheduleType' | 'timezone'> & { after?: object },
  fields: Update,
): Promise<Zoned<Update>> {
  const hadNone = found.scheduleType === 'period' || found.after !== undefined;
  const isNew = hadNone && fields.scheduleType === 'cron' && fields.timezone === undefined;
  if (!isNew) return { fields, note: null };
  if (found.timezone === scheduleFields.timezone.default) return await inMachineZone(fields);
  const { zoneNote } = await import('./machine-zone.ts');
  return { fields, note: zoneNote(found.timezone, 'as before') };
}

/** The fields with the zone of this machine, unless they have one, in which local times are. An interval does not depend on it: no note. */
export async function inMachineZone<Fields extends ScheduleFields>(
  fields: Fields,
): Promise<Zoned<Fields>> {
  if (fields.timezone !== undefined) return { fields, note: null };
  const { machineZone, shownZone, zoneNote } = await import('./machine-zone.ts');
  const isCron = fields.scheduleType === 'cron';
  const timezone = isCron ? machineZone() : shownZone();
  const note = isCron ? zoneNote(timezone) : null;
  return { fields: { ...fields, timezone }, note };
}

/** The text of a flag, if it was given. */
export function textFlag(flags: Flags, flag: string): string | undefined {
  return typeof flags[flag] === 'string' ? flags[flag] : undefined;
}

/** A schedule in a cell of a table. */
export function scheduleText(schedule: ScheduleSettings & { runAt?: string }): string {
  const { scheduleType, cronExpr, timezone, periodSeconds, runAt } = schedule;
  if (runAt !== undefined) return `once ${onceIn(runAt, timezone)}`;
  return scheduleType === 'cron' ? `${cronExpr} ${timezone}` : periodWords(periodSeconds ?? 0);
}

/** An instant as the clocks of a zone show it: `2026-12-01 09:00 Europe/Paris`; in UTC if this machine does not know the zone. */
function onceIn(runAt: string, timeZone: string): string {
  const timeStyle = runAt.endsWith(':00.000Z') ? 'short' : 'medium';
  const options = { timeZone, dateStyle: 'short', timeStyle } as const;
  const format = () => new Intl.DateTimeFormat('sv-SE', options).format(Date.parse(runAt));
  const local = ifPossible(format);
  return local === undefined ? runAt : `${local} ${timeZone}`;
}

/** The fields of a schedule: as it was set, and in words if they say more. */
export async function scheduleFieldsFor(
  schedule: ScheduleSettings & { runAt?: string },
): Promise<Record<string, string>> {
  const asSet = { schedule: scheduleText(schedule) };
  if (schedule.scheduleType === 'period' || schedule.runAt !== undefined) return asSet;
  const { scheduleWords } = await import('../../domain/schedule/words.ts');
  // A server of another version may know more expressions.
  const words = unlessRefused(() => scheduleWords(ruleOf({ ...schedule, anchorAt: 0 })));
  return words === undefined || words === schedule.cronExpr ? asSet : { ...asSet, when: words };
}
