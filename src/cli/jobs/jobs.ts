/** `jobd jobs`: jobs, over the API. */

import type { Command } from 'commander';
import type { Job, JobUpdate } from '../../api/jobs/contract.ts';
import type { JobSummary } from '../../api/overview/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { followedWords } from '../../domain/jobs/after.ts';
import { afterOnVerbs } from '../../domain/jobs/after-words.ts';
import type { JobAction } from '../../domain/jobs/actions.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import { leavesOrigin } from '../../domain/jobs/job.ts';
import { jobFilters, type JobFilter } from '../../domain/jobs/listed-job.ts';
import { isUncalled } from '../../domain/jobs/spent.ts';
import type { MadeJob } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { labelsColumn } from '../labels.ts';
import { windowColumns, windowTimes } from '../mutes.ts';
import { textOrFile } from '../options.ts';
import { settingsOf, withOffOptions } from '../fields.ts';
import { createNamed, withNameOptions } from '../create-named.ts';
import { addResourceCommands, printItem, type Resource } from '../resource.ts';
import { optionWords } from '../client/option-words.ts';
import { idCell, moment, state, urlCell } from '../terminal/cell.ts';
import { printFields, type Output } from '../terminal/output.ts';
import { counted } from '../../domain/counted.ts';
import { addCallbacksCommand } from './callbacks.ts';
import { printDueTimes } from './due-times.ts';
import { fieldsFor, noteOnClocks, updateOf, withJobOptions, withoutOnce } from './job-options.ts';
import { scheduleColumn } from './schedule-column.ts';
import {
  inMachineZone,
  newScheduleOf,
  scheduleFieldsFor,
  scheduleText,
  zonedUpdateOf,
} from '../schedule/schedule-options.ts';

/** Columns that a narrow terminal hides, the last one first. */
const lessNeeded = ['result', 'url', 'last run', 'labels', 'id'];

const resource: Resource<Job, JobUpdate, JobFilter, Job | JobSummary> = {
  noun: 'job',
  example: 'backup',
  of: (api) => api.jobs,
  columns: {
    name: ({ name }) => name,
    status: ({ status }) => state(status),
    schedule: scheduleText,
    'next run': ({ nextRunAt }) => moment(nextRunAt),
    'last run': ({ lastRunAt }) => moment(lastRunAt),
    result: resultOf,
    url: ({ url }) => urlCell(url),
    id: ({ id }) => idCell(id),
    ...labelsColumn,
    ...windowColumns,
  },
  columnsOf: async (api, listed) => ({ schedule: await scheduleColumn(api, listed) }),
  optionalColumns: ['schedule', ...Object.keys(windowColumns), ...lessNeeded],
  leastText: 10,
  print: printJob,
  withOptions: (command) => withOffOptions(withJobOptions(command, { isNew: false }), jobFields),
  exampleOptions: " --cron '30 3 * * *' --tz UTC",
  updateOf,
  complete: async (found, given, flags) => {
    const { fields, note } = withoutOnce(await fieldsFor(given, found), found);
    checkHeaders(found, fields, flags['headers'] === false);
    const zoned = await zonedUpdateOf(found, fields);
    const onClocks = await noteOnClocks(zoned.fields, found);
    return { ...zoned, note: note ?? noteOn(fields, found) ?? onClocks ?? zoned.note };
  },
  actions: {
    pause: {
      description: 'stop calling a job until it is resumed; a call in flight may finish',
      update: { action: 'pause' },
    },
    resume: {
      description: 'call a paused job again, from its next due time',
      update: { action: 'resume' },
    },
  },
  belongings: 'runs',
  async whyKept(api, id) {
    const { followers } = await api.jobs.chain(id);
    return followers.length === 0 ? null : followedWords(followers.map(({ name }) => name));
  },
  statuses: jobFilters,
  all: (api, limits) => api.jobs.summaries(limits),
  actOnMany: async (api, action, ids) =>
    (await api.jobs.act(action as JobAction, ids)).map(({ error, isOver }) => {
      return { error: error && optionWords(error), isOver };
    }),
};

function resultOf(job: Job | JobSummary): string | null {
  if (isUncalled(job)) return 'not called';
  return job.downReason ?? (job.lastDurationMs === null ? null : 'success');
}

/** Adds the commands, and returns their group. */
export function addJobCommands(program: Command, context: Context): Command {
  const jobs = program.command('jobs').description('create, change, list, show and run jobs');
  addCreateCommand(jobs, context);
  addResourceCommands(jobs, context, resource);
  addCallbacksCommand(jobs, context);
  return jobs;
}

const curlExample = `
  jobd jobs create --name orders --every 15m \\
    --curl "curl -u me:secret -d state=open https://example.com/orders"`;

function addCreateCommand(jobs: Command, context: Context): void {
  const { readCurl, output } = context;
  const create = withNameOptions(
    withJobOptions(jobs.command('create').description('create a job'), { isNew: true }),
    'job',
  );
  if (readCurl !== undefined) {
    create.option(
      '--curl <command|@file|->',
      'take the request from a curl or wget command, or a line of a crontab',
    );
  }
  const { deleteAfterSeconds, headers, makeUpSeconds } = jobFields;
  withOffOptions(create, { deleteAfterSeconds, headers, makeUpSeconds })
    .option('--paused', 'create it paused')
    .addHelpText(
      'after',
      `
Examples:
  jobd jobs create --name backup --url https://example.com/backup \\
    --cron '30 2 * * *' --tz UTC
  jobd jobs create --name ping --url https://example.com/ping --every 5m
  jobd jobs create --name invoice --url https://example.com/invoice \\
    --method POST --header 'Content-Type: application/json' \\
    --data @invoice.json --cron @monthly
  jobd jobs create --name report --url https://example.com/report --after backup${readCurl === undefined ? '' : curlExample}`,
    )
    .action(async (flags: Flags & { name: string }) => {
      const { name, curl, ['paused']: paused } = flags;
      const { cronExpr, timezone, ...call }: JobUpdate =
        typeof curl === 'string' && readCurl !== undefined
          ? await readCurl(await textOrFile(curl, '--curl'), flags, output)
          : {};
      const api = connect(context, { waits: true });
      const given = { ...call, ...(await updateOf(flags, api)), name };
      const { url } = given;
      if (url === undefined) throw new JobdError('usage', 'say what to call: --url or --curl');
      const isUntimed = given.scheduleType === undefined && !given.runAt;
      if (isUntimed && !given.after) {
        const ofLine = cronExpr && { cron: cronExpr, ...(timezone && { tz: timezone }) };
        const all = { ...ofLine, ...flags };
        Object.assign(given, newScheduleOf(all, ', --at TIME, or --after JOB'));
      }
      // A zone is for times, which one that only runs after another one does not have.
      const { fields, note } =
        isUntimed && given.after ? { fields: given, note: null } : await inMachineZone(given);
      const input = { ...fields, url, ...(paused === true && { paused }) };
      const { jobs: items } = api;
      let said = noteOn(given, null) ?? (await noteOnClocks(fields, null)) ?? note;
      const job = await createNamed(
        { noun: 'job', items, name, flags },
        {
          create: async () => await items.create(await fieldsFor(input, null)),
          async change(found) {
            const action = paused === true && { action: 'pause' as const };
            const zoned = await zonedUpdateOf(found, given);
            const changed = withoutOnce(await fieldsFor(zoned.fields, found), found);
            const update = { ...changed.fields, ...action };
            checkHeaders(found, update, update.headers !== undefined);
            const onClocks = await noteOnClocks(update, found);
            said = changed.note ?? noteOn(update, found) ?? onClocks ?? zoned.note;
            return await items.update(found.id, update);
          },
        },
      );
      if (said !== null) context.output.say(said);
      await printItem(context, resource, flags, job);
    });
}

/** What is to be said of a change besides what the job is now; null for nothing. */
function noteOn({ after, scheduleType, onResult }: JobUpdate, found: Job | null): string | null {
  const isAfter = Boolean(after === undefined ? found?.after : after);
  if (isAfter && scheduleType !== undefined) {
    const option = scheduleType === 'cron' ? '--cron' : '--every';
    return `${option} is kept, and does not count while the job runs after another one; --no-after puts it on that schedule`;
  }
  if (after === null && found?.after !== undefined && scheduleType === undefined) {
    return 'it is called on its schedule again; --cron or --every sets another one';
  }
  const isStopped = onResult === null && found?.onResult !== undefined;
  return isStopped ? 'results that have not arrived yet are not posted any more' : null;
}

/** Throws `invalid_input`, before anything changes, if headers would be lost whose values nobody can read: unless those given `areAll`. */
function checkHeaders({ url, headerNames }: Job, update: JobUpdate, areAll: boolean): void {
  const given = Object.keys(update.headers ?? {}).map((name) => name.toLowerCase());
  const lost = headerNames.filter((name) => !given.includes(name.toLowerCase()));
  const isMove = leavesOrigin({ url }, update);
  if (areAll || lost.length === 0 || (update.headers === undefined && !isMove)) return;
  const why = isMove ? '--url moves to another scheme, host or port' : '--header sets all headers';
  throw invalidInput(
    `${why}, and header values are secret: give --header again for ${lost.join(', ')}, or add --no-headers`,
  );
}

async function printJob(output: Output, job: MadeJob, context: Context): Promise<void> {
  const { headerNames, body, onResultSecret } = job;
  // What was asked for is done: a limit of requests only delays what is shown of it.
  const api = connect(context, { waits: true });
  const { after, followers } = await api.jobs.chain(job.id);
  const otherwise = ['name', 'url', 'method', 'body', 'onResultSecret', 'paused', 'runAt'];
  printFields(output, {
    name: job.name,
    status: state(job.status),
    ...windowTimes(job),
    call: `${job.method} ${job.url}`,
    ...(headerNames.length > 0 && { headers: headerNames.join(', ') }),
    ...(body !== null && { body: counted(Buffer.byteLength(body), 'byte') }),
    ...(after === null && (await scheduleFieldsFor(job))),
    ...(after !== null && {
      'runs after': `${after.name ?? after.jobId} ${afterOnVerbs[after.on]}`,
    }),
    ...(followers.length > 0 && { 'then runs': followers.map(({ name }) => name).join(', ') }),
    ...(onResultSecret !== undefined && { 'result secret': onResultSecret }),
    ...settingsOf(jobFields, job, otherwise),
    'next run': moment(job.nextRunAt),
    'last run': moment(job.lastRunAt),
    ...(job.lastDurationMs !== null && { 'last duration': `${job.lastDurationMs} ms` }),
    ...(job.downReason !== null && { 'down because': job.downReason }),
    id: job.id,
  });
  await printDueTimes(output, job, api);
  if (onResultSecret !== undefined) output.say(keepSecret);
}

const keepSecret =
  'keep the result secret: it checks who posts the results, and is not shown again';
