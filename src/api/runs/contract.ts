/** What the API returns about runs, and about how late they start. */

import { Type, type Static } from 'typebox';
import { runReasons } from '../../domain/runs/reason.ts';
import { runStatuses, type RunStatus } from '../../domain/runs/run.ts';
import { page, PageQuery, partialPage, SelectorField } from '../http/contract.ts';
import { keyHeader } from '../http/repeatable.ts';
import * as t from '../http/schema.ts';
import { Report, type EndOfWait } from './report-contract.ts';
import * as examples from './examples.ts';

export type { EndOfWait };

export const defaultDays = 30;

/** A run as it is returned (docs/behavior.md#runs). */
export const Run = t.output('Run', 'One call of a job and its outcome.', examples.run, {
  id: t.id('The id of the run. Every attempt sends it as `X-Service-Run-Id`.'),
  jobId: t.id('The id of the job.'),
  source: t.oneOf(['scheduled', 'manual'], 'Whether the schedule or a person started it.'),
  status: t.oneOf(
    runStatuses,
    '`interrupted`: the service stopped during the call, so the outcome is unknown; or it could not make the call, and ' +
      '`error` says that nothing was sent. `missed`: the call could not start within a minute of its due time. Neither is ' +
      'retried.',
  ),
  scheduledFor: t.moment('The due time. For a manual run, when it was requested.'),
  startedAt: t.momentOrNull('When the first attempt started.'),
  finishedAt: t.momentOrNull(
    'When the outcome was known, or the run was closed as `interrupted`. Null while it is `queued` or `running`, ' +
      'and for `missed`.',
  ),
  attempts: t.integer('Attempts started so far, including a current one.'),
  httpStatus: t.integerOrNull('The HTTP status of the last response; null if there was none.'),
  durationMs: t.integerOrNull(
    'Milliseconds from `startedAt` to `finishedAt`, including all attempts and waits; null for `interrupted`.',
  ),
  responseBody: t.textOrNull(
    'The beginning of the last response, decoded: at most 4096 bytes of UTF-8.',
  ),
  truncated: t.flag('Whether the response was longer than the part that is kept.'),
  error: t.textOrNull(
    'Why the run did not succeed. Starts with one of `timeout dns refused reset tls protocol blocked_address redirect ' +
      'http reported missed interrupted`, a colon and the details.',
  ),
  why: Type.Optional(
    t.part('Extension: why the run did not succeed, as values. `error` says the same in words.', {
      reason: t.oneOf(runReasons, 'In a word that says more than that of `error`.'),
      detail: t.textOrNull('What else is known, for people.'),
      ...t.optional({
        lastDueAt: t.moment('Of a missed run: the last due time that it stands for.'),
        count: t.integer('Of a missed run: how many due times it stands for.'),
        hinderedFrom: t.moment(
          'Of a missed run: since when something kept jobd from starting runs.',
        ),
        hinderedUntil: t.moment('Of a missed run: until when.'),
      }),
    }),
  ),
  report: Type.Optional(Report),
  causedBy: Type.Optional(
    t.part(
      'Extension: the run whose end started this one, if its job runs after another one; or the missed run of its own job ' +
        'that it makes up for. Its `source` is `manual`: no schedule started it.',
      { jobId: t.id('The id of the job of that run.'), runId: t.id('The id of that run.') },
    ),
  ),
  dueAt: Type.Optional(
    t.moment(
      'Extension: the due time that the run stands for, if that is another time than `scheduledFor`: that of the run that ' +
        'started it, the last one that was missed, or that of the run it replays. Every attempt sends it, or else `scheduledFor`, as `X-Service-Scheduled-For`.',
    ),
  ),
});
export type Run = Static<typeof Run>;

const {
  jobId: _,
  responseBody: _body,
  truncated: _truncated,
  report: _report,
  ...summary
} = Run.properties;

export const RunSummary = t.output(
  'RunSummary',
  'A run in a list: without its job and what the target answered.',
  examples.runSummary,
  summary,
);
export type RunSummary = Static<typeof RunSummary>;

const totals = Type.Unsafe<Record<RunStatus, number>>(
  Type.Object(
    Object.fromEntries(runStatuses.map((status) => [status, t.integer('Runs in this state.')])),
    { description: "How many of the job's runs are kept in each state, on all pages." },
  ),
);

export const RunResponse = t.envelope('RunResponse', { run: Run });
export type RunResponse = Static<typeof RunResponse>;
export const RunList = t.envelope('RunList', { ...page('runs', Run), totals }, examples.runList);
export type RunList = Static<typeof RunList>;

export const QueuedRun = t.envelope(
  'QueuedRun',
  {
    run: Run,
    resultUrl: Type.String({
      format: 'uri',
      description: 'The absolute URL to poll for the result.',
    }),
  },
  examples.queued,
);
export type QueuedRun = Static<typeof QueuedRun>;

export const Lateness = t.output(
  'Lateness',
  'How long after their due times runs started, for runs that ended in the last hour. Values have two significant digits. ' +
    'All are null if no run has ended in that time since the server started. Where several nodes serve, it is that of all of them, ' +
    'a few seconds old.',
  { windowSeconds: 3600, p50Ms: 3, p99Ms: 21, maxMs: 34 },
  {
    windowSeconds: t.integer('The length of the period, in seconds.'),
    p50Ms: t.integerOrNull('The median, in milliseconds.'),
    p99Ms: t.integerOrNull('The 99th percentile, in milliseconds.'),
    maxMs: t.integerOrNull('The maximum, in milliseconds.'),
  },
);
export type Lateness = Static<typeof Lateness>;

export const RunPath = Type.Object({
  id: t.id('The id of the job.'),
  runId: t.id('The id of the run.'),
});

export const RunJobHeaders = keyHeader(
  'A request with the same key returns the run that the first request created, as long as that run is kept.',
  'invoice-2025-10',
);

export const RunHistory = t.envelope(
  'RunHistory',
  partialPage('runs', RunSummary),
  examples.runHistory,
);
export type RunHistory = Static<typeof RunHistory>;

export const ListedRun = t.output(
  'ListedRun',
  'A run in a list, with its job.',
  examples.listedRun,
  {
    ...RunSummary.properties,
    job: t.part('The job.', {
      id: t.id('The id of the job.'),
      name: t.text('The name of the job.'),
    }),
  },
);
export type ListedRun = Static<typeof ListedRun>;

export const AllRuns = t.envelope('AllRuns', partialPage('runs', ListedRun), examples.allRuns);
export type AllRuns = Static<typeof AllRuns>;

const status = Type.Optional(
  t.text(
    `Only runs with one of these statuses: ${runStatuses.join(', ')}, with commas between them. Default: all.`,
  ),
);
const moment = 'ISO 8601 with an offset or `Z`. Default: all.';

export const AllRunsQuery = t.query({
  status,
  since: Type.Optional(t.moment(`Only runs that were due at this time or later. ${moment}`)),
  until: Type.Optional(t.moment(`Only runs that were due before. ${moment}`)),
  selector: SelectorField,
  ...PageQuery.properties,
});

export const HistoryQuery = t.query({
  status,
  before: Type.Optional(t.moment(`Only runs that were due before. ${moment}`)),
  ...PageQuery.properties,
});

export const DaysQuery = t.query({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 366,
      description: 'How many days, up to today.',
      default: defaultDays,
    }),
  ),
});

const DayOfRuns = t.output('DayOfRuns', 'The runs that were due on one day.', examples.dayOfRuns, {
  date: Type.String({ format: 'date', description: 'The day in the time zone of the job.' }),
  success: t.integer('Runs that succeeded.'),
  failed: t.integer('Runs that failed.'),
  interrupted: t.integer('Runs whose outcome is unknown.'),
  missed: t.integer('Records of due times that were not called. One record may stand for many.'),
  medianMs: t.integerOrNull(
    'Median duration of the runs that ended, in milliseconds; null if there are none.',
  ),
  maxMs: t.integerOrNull('Longest duration, in milliseconds; null if there are none.'),
});

export const JobDays = t.envelope(
  'JobDays',
  {
    days: t.array(
      DayOfRuns,
      'Oldest first, up to today. Days before `since` are left out, because no runs of them are known.',
    ),
    since: t.momentOrNull(
      'The due time of the oldest run that is kept, or that was counted if `isPartial`. What its day says may be ' +
        'incomplete. Null if no run is kept.',
    ),
    isPartial: t.flag('Whether only the newest 10,000 runs were counted, and there are more.'),
  },
  examples.jobDays,
);
export type JobDays = Static<typeof JobDays>;
