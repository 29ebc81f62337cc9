/** The options that describe a job, and the fields of the API that they give. */

import type { Command } from 'commander';
import type { Job, JobUpdate } from '../../api/jobs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { parseChoice, parseDuration } from '../../settings/setting.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { afterOnWords } from '../../domain/jobs/after-words.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import type { Api } from '../client/api.ts';
import { givenFields, withFieldOptions } from '../fields.ts';
import { collect, textOrFile } from '../options.ts';
import { scheduleFieldsOf, textFlag, withScheduleOptions } from '../schedule/schedule-options.ts';

/** Adds the options; a name is required where a job is created. */
export function withJobOptions(command: Command, { isNew }: { isNew: boolean }): Command {
  return withScheduleOptions(withFieldOptions(command, jobFields, { isNew }), isNew)
    .option(
      '--header <name:value|@file|->',
      `${isNew ? '' : 'all '}${jobFields.headers.help}, in a file one on each line; may be repeated`,
      collect,
    )
    .option('--in <duration>', 'be due once, after this time, such as 2h')
    .option('--after <job>', 'run after this job, by name or id, instead of on a schedule')
    .option('--after-on <end>', 'success, failed or finished: which end of it (default success)');
}

/** The fields that the options give. Throws `invalid_input`, naming the option, and `not_found` for `--after`. */
export async function updateOf(flags: Flags, api: Api): Promise<JobUpdate> {
  checkOneTime(flags);
  const update: JobUpdate = scheduleFieldsOf(flags);
  Object.assign(update, await givenFields<JobUpdate>(flags, jobFields));
  if (Array.isArray(flags['header'])) update.headers = await headersOf(flags['header']);
  const delay = textFlag(flags, 'in');
  if (delay !== undefined) {
    update.runAt = isoTime(systemClock.now() + parseDuration(delay, '--in') * 1_000);
  }
  const after = await afterOf(flags, api);
  if (after !== undefined) update.after = after;
  return update;
}

/** A job that is called once is due at one time, and at no other. Throws `invalid_input`. */
function checkOneTime(flags: Flags): void {
  const isGiven = (flag: string): boolean => typeof flags[flag] === 'string';
  const once = ['at', 'in'].filter(isGiven);
  const [first, second] = [...once, ...['cron', 'every', 'after'].filter(isGiven)];
  if (once.length === 0 || second === undefined) return;
  throw invalidInput(`use either --${first} or --${second}, not both`);
}

/** An update that gives a schedule to a job that is called once: it is called on that schedule from then on. */
export function withoutOnce(
  fields: JobUpdate,
  { runAt }: Pick<Job, 'runAt'>,
): { fields: JobUpdate; note: string | null } {
  const isLeft = runAt !== undefined && fields.runAt === undefined;
  if (!isLeft || fields.scheduleType === undefined) return { fields, note: null };
  const note = 'it is called on this schedule now, instead of once';
  return { fields: { ...fields, runAt: null }, note };
}

/**
 * The fields that are given, for the job that they change (null for a new one): `--after-on` alone keeps its first job, and a time of
 * day is the next one by its clocks. Throws `usage` and `invalid_input`, naming the option.
 */
export async function fieldsFor<Fields extends JobUpdate>(
  given: Fields,
  found: Pick<Job, 'after' | 'timezone'> | null,
): Promise<Fields> {
  const fields = withFirstJob(given, found);
  const { runAt, timezone = found?.timezone } = fields;
  if (!runAt || timezone === undefined || !/^\d\d?:[\d:]+$/.test(runAt)) return fields;
  // Loaded here: help and completion need none of it.
  const { readMoment } = await import('../../domain/schedule/local-moments.ts');
  const { canonicalZone } = await import('../../domain/schedule/zone.ts');
  const at = readMoment('--at', runAt, canonicalZone(timezone), systemClock.now());
  return { ...fields, runAt: isoTime(at) };
}

/** What the clocks make of the local time at which it is called once; null for nothing to say. */
export async function noteOnClocks(
  { runAt, timezone }: JobUpdate,
  found: Pick<Job, 'timezone'> | null,
): Promise<string | null> {
  const zone = timezone ?? found?.timezone;
  if (!runAt || zone === undefined) return null;
  const { clockNote } = await import('../../domain/schedule/local-moments.ts');
  const { canonicalZone } = await import('../../domain/schedule/zone.ts');
  return clockNote(runAt, canonicalZone(zone, '--tz'));
}

/** Stands for the job that a job runs after already, where only `--after-on` is given. */
const same = '';

/** Fields with the job that the changed one runs after, if they stand for that. Throws `usage` if there is none. */
function withFirstJob<Fields extends Pick<JobUpdate, 'after'>>(
  fields: Fields,
  found: Pick<Job, 'after'> | null,
): Fields {
  if (fields.after?.jobId !== same) return fields;
  const firstJob = found?.after;
  if (firstJob) return { ...fields, after: { ...fields.after, jobId: firstJob.jobId } };
  throw new JobdError('usage', '--after-on needs --after, the job that it runs after');
}

/** What `--after`, `--after-on` and `--no-after` say; undefined for nothing. */
async function afterOf(flags: Flags, api: Api): Promise<JobUpdate['after']> {
  const word = textFlag(flags, 'afterOn');
  const on = word === undefined ? word : parseChoice(word, '--after-on', afterOnWords);
  if (flags['after'] === false) return null;
  const job = textFlag(flags, 'after');
  if (job === undefined) return on === undefined ? undefined : { jobId: same, on };
  return { jobId: (await api.jobs.find(job)).id, ...(on !== undefined && { on }) };
}

async function headersOf(given: readonly string[]): Promise<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const text of given) {
    const read = await textOrFile(text, '--header');
    for (const line of read === text ? [text] : read.trimEnd().split('\n')) {
      const colon = line.indexOf(':');
      if (colon < 1) throw invalidInput("--header must be 'Name: value', or @FILE with such lines");
      const name = line.slice(0, colon).trim();
      if (headers.has(name)) throw invalidInput(`--header ${name} is given twice`);
      headers.set(name, line.slice(colon + 1).trim());
    }
  }
  return Object.fromEntries(headers);
}
