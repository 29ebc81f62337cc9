import { Type, type Static } from 'typebox';
import { nameRule } from '../../domain/fields.ts';
import { jobFilters, jobOrders } from '../../domain/jobs/listed-job.ts';
import { monitorStatuses } from '../../domain/monitors/status.ts';
import { recentStatuses } from '../../domain/runs/run.ts';
import { troubleKinds } from '../../domain/runs/trouble.ts';
import { PageQuery, partialPage, SelectorField } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import { Job } from '../jobs/contract.ts';
import { Monitor } from '../monitors/contract.ts';
import { AllRunsQuery, ListedRun } from '../runs/contract.ts';
import * as examples from './examples.ts';

const WindowNow = t.part('A window that is on.', {
  id: t.id('The id of the window.'),
  name: t.text('Its name.'),
  selector: t.textOrNull('The labels of what it is about; null if it has none.'),
  jobs: t.integerOrNull(
    'How many jobs were chosen for it, without one-time jobs if it holds; null if none could be.',
  ),
  monitors: t.integerOrNull('The same of monitors.'),
  until: t.moment('When it ends.'),
});
const aboutAll = 'Without `selector`, `jobs` and `monitors` one is about all.';

const Overview = t.output(
  'WorkspaceOverview',
  'How a workspace is doing, in numbers.',
  examples.overview,
  {
    jobs: t.part(
      'Jobs by state. Each job has one of `down`, `up`, `paused` and `new`, and keeps it while it runs. A number above 10,000 ' +
        'may be a minute old.',
      {
        total: t.integer('All jobs.'),
        down: t.integer('Jobs whose last result was a failure.'),
        running: t.integer('Jobs that have a run under way, whatever their state.'),
        up: t.integer('Jobs whose last result was a success.'),
        paused: t.integer('Paused jobs.'),
        new: t.integer('Jobs without a result.'),
      },
    ),
    monitors: t.part('Monitors by status.', {
      total: t.integer('All monitors.'),
      down: t.integer('Monitors that are down.'),
      late: t.integer('Monitors whose ping is overdue, within the grace period.'),
      up: t.integer('Monitors that are up.'),
      paused: t.integer('Paused monitors.'),
      new: t.integer('Monitors without a ping.'),
      isPartial: t.flag('Whether only the newest 5,000 monitors were counted: there may be more.'),
    }),
    lastDay: t.part('Runs that were due in the last 24 hours and were no success.', {
      failed: t.integer('Failed runs.'),
      interrupted: t.integer('Interrupted runs.'),
      missed: t.integer('Missed runs.'),
      isPartial: t.flag('Whether only the newest 10,000 of them were counted: there may be more.'),
    }),
    mutes: t.array(WindowNow, `Windows that mute alerts now. ${aboutAll}`),
    holds: t.array(WindowNow, `Windows that hold jobs now. ${aboutAll}`),
    asOf: t.moment('When this was counted. It is counted once a second at most.'),
  },
);

export const OverviewResponse = t.envelope('OverviewResponse', { overview: Overview });
export type OverviewResponse = Static<typeof OverviewResponse>;

const scheduleWords = t.text(
  'The schedule in words, without its time zone; the cron expression where words would be longer or unclear.',
);

const JobSummary = t.output('JobSummary', 'A job in a list.', examples.jobSummary, {
  ...Type.Pick(Job, [
    'id',
    'name',
    'url',
    'method',
    'scheduleType',
    'cronExpr',
    'timezone',
    'periodSeconds',
    'runAt',
    'paused',
    'status',
    'nextRunAt',
    'lastRunAt',
    'lastDurationMs',
    'downReason',
    'after',
    'labels',
    'mutedUntil',
    'heldUntil',
  ]).properties,
  scheduleWords,
  health: t.oneOf(
    ['new', 'up', 'down'],
    'By the last result, also while the job runs or is paused.',
  ),
  failures: t.integer('Consecutive failed runs.'),
  failingSince: t.momentOrNull('When the first of them ended; null without one.'),
  key: t.textOrNull('The key of a managed job; null for a job that was made by hand.'),
  recent: t.array(
    t.oneOf(
      recentStatuses,
      'The status of a run; `made_up`: it was missed, and a later run made up for it.',
    ),
    'The statuses of the newest 30 runs, oldest first.',
  ),
  ...t.optional({
    afterName: t.text('The name of the job that it runs after.'),
    run: t.part('The run that is under way.', {
      id: t.id('The id of the run.'),
      startedAt: t.momentOrNull('When the first attempt started.'),
      percent: t.integerOrNull('How far the target is, as it last reported.'),
      line: t.textOrNull('What it does, as it last reported.'),
      progressAt: t.momentOrNull('When it last reported.'),
    }),
  }),
});
export type JobSummary = Static<typeof JobSummary>;

const MonitorSummary = t.output('MonitorSummary', 'A monitor in a list.', examples.monitorSummary, {
  ...Type.Pick(Monitor, [
    'id',
    'name',
    'scheduleType',
    'cronExpr',
    'timezone',
    'periodSeconds',
    'graceSeconds',
    'paused',
    'status',
    'downReason',
    'missedDueAt',
    'nextDueAt',
    'lastPingAt',
    'lastDurationMs',
    'labels',
    'mutedUntil',
    'heldUntil',
  ]).properties,
  scheduleWords,
  since: t.momentOrNull(
    'Since when the monitor is `up`, `late` or `down`; null if it is `paused` or `new`.',
  ),
  recent: t.array(
    t.oneOf(['success', 'fail', 'missed'], 'What a ping said; `missed`: none came.'),
    'What the newest 30 pings said that ended a run, oldest first. While the monitor is down, each due time that passed without a ping is one of them.',
  ),
});
export type MonitorSummary = Static<typeof MonitorSummary>;

export const JobSummaryResponse = t.envelope('JobSummaryResponse', { job: JobSummary });
export type JobSummaryResponse = Static<typeof JobSummaryResponse>;

export const JobSummaryList = t.envelope(
  'JobSummaryList',
  {
    ...partialPage('jobs', JobSummary),
    jobs: t.array(JobSummary, 'In the order that was asked for.'),
  },
  examples.jobList,
);
export const MonitorSummaryList = t.envelope(
  'MonitorSummaryList',
  partialPage('monitors', MonitorSummary),
  examples.monitorList,
);
const LabelCounts = t.output('LabelCounts', 'A label, and how many have it.', examples.label, {
  key: t.text('Its key.'),
  value: t.text('Its value.'),
  jobs: t.integer('Jobs that have it.'),
  down: t.integer('Those of them that are down and not paused.'),
  monitors: t.integer('Monitors that have it.'),
  monitorsDown: t.integer('Those of them that are down and not paused.'),
});

export const LabelOverview = t.envelope('LabelOverview', {
  labels: t.array(LabelCounts, 'The first 1,000, by key and value.'),
  isPartial: t.flag(
    'Whether there are more labels, or more than the newest 10,000 jobs and 10,000 monitors, which were counted. Of more than ' +
      '5,000 labels those of the newest jobs are counted.',
  ),
});

export type LabelOverview = Static<typeof LabelOverview>;

const TroubleRow = t.output('Trouble', 'What went wrong, once.', examples.trouble, {
  id: t.id('The id of its oldest run.'),
  kind: t.oneOf(
    troubleKinds,
    '`outage`: jobd could not call. `job`: what went wrong with one job otherwise.',
  ),
  from: t.moment(
    'Of an outage, since when it kept jobd from calling, as far as that is known: after a crash, its last sign of life, up to 10 s before. ' +
      'Of a job, when the first of its runs was due.',
  ),
  until: t.moment('Of an outage, until when; of a job, when the last of its runs was due.'),
  dueFrom: t.moment('The first `scheduledFor` of its runs.'),
  dueUntil: t.moment('The last `scheduledFor` of its runs.'),
  failed: t.integer('Failed runs.'),
  interrupted: t.integer('Interrupted runs.'),
  missed: t.integer('Due times that were missed.'),
  jobs: t.integerOrNull('How many jobs missed due times in an outage; null for a job.'),
  last: ListedRun,
  now: t.nullable(t.oneOf(['up', 'down', 'paused', 'new'], 'What the job is now.')),
  since: t.momentOrNull('Since when the job is down; null if it is not.'),
});
export type TroubleRow = Static<typeof TroubleRow>;

export const TroubleList = t.envelope(
  'TroubleList',
  {
    ...partialPage('trouble', TroubleRow),
    trouble: t.array(TroubleRow, 'By the newest run of each, newest first.'),
  },
  { trouble: [examples.trouble], nextCursor: null, isPartial: false },
);

export type TroubleList = Static<typeof TroubleList>;

export const TroubleQuery = t.query({
  kind: Type.Optional(t.oneOf(troubleKinds, 'Only rows of this kind. Default: all.')),
  ...Type.Omit(AllRunsQuery, ['status']).properties,
});

/** More says no more about which job is meant, and costs the main thread more. */
const mostSearchCharacters = 200;

function text(where: string, maxLength: number) {
  return Type.Optional(
    Type.String({
      maxLength,
      description: `A text in the ${where}. Upper and lower case are the same for ASCII letters.`,
      examples: ['backup'],
    }),
  );
}

export const JobListQuery = t.query({
  ...PageQuery.properties,
  status: Type.Optional(
    t.oneOf(
      jobFilters,
      'Jobs in this state. `down`, `new` and `up` are without paused jobs, and with those that run now. `running`: a run is ' +
        'under way. `missed`: a due time was missed in the last 24 hours. `held`: a window holds it now.',
    ),
  ),
  q: text('name or the URL', mostSearchCharacters),
  selector: SelectorField,
  order: Type.Optional(
    t.oneOf(jobOrders, {
      description:
        '`newest`: newest first. `due`: the next due time first, without jobs that run now or have none; of a job in a hold, that before the hold, while `nextRunAt` is the one after it. `name`: by name; ' +
        'upper and lower case are the same for ASCII letters. `running`, `missed` and `held` are newest first only.',
      default: 'newest',
    }),
  ),
});

export const MonitorListQuery = t.query({
  ...PageQuery.properties,
  status: Type.Optional(t.oneOf(monitorStatuses, 'Monitors with this status.')),
  q: text('name', nameRule.maxLength),
  selector: SelectorField,
});
