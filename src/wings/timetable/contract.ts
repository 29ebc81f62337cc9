import { Type, type Static } from 'typebox';
import { PageQuery, partialPage } from '../../api/http/contract.ts';
import * as t from '../../api/http/schema.ts';
import { Job } from '../../api/jobs/contract.ts';
import { JobListQuery } from '../../api/overview/contract.ts';
import { jobSummary } from '../../api/overview/examples.ts';
import { runStatuses } from '../../domain/runs/run.ts';

export const TimetableQuery = t.query({
  ...PageQuery.properties,
  from: Type.Optional(t.moment('The beginning of the period. Default: 24 hours ago.')),
  to: Type.Optional(t.moment('Its end, 7 days later at most. Default: 24 hours from now.')),
  q: JobListQuery.properties.q,
  selector: JobListQuery.properties.selector,
});

const at = '2025-10-09T05:30:00.000Z';
const rowExample = {
  id: jobSummary.id,
  name: jobSummary.name,
  status: 'up',
  timezone: jobSummary.timezone,
  scheduleWords: jobSummary.scheduleWords,
  nextRunAt: '2025-10-10T05:30:00.000Z',
  runs: [{ id: '0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63', at, status: 'success', durationMs: 412 }],
  runsFrom: null,
  due: [{ at: '2025-10-10T05:30:00.000Z' }],
  isDuePartial: false,
};

const several = (noun: string) => ({
  at: t.moment(`When it was due, or the first of several.`),
  ...t.optional({
    until: t.moment(`The last of several ${noun}, each at most 15 minutes after the one before.`),
    count: t.integer('How many they are.'),
  }),
});

const TimetableJob = t.output('TimetableJob', 'A row of the timetable.', rowExample, {
  ...Type.Pick(Job, ['id', 'name', 'status', 'timezone', 'nextRunAt', 'after']).properties,
  scheduleWords: t.text('The schedule in words, without its time zone.'),
  runs: t.array(
    t.part('A run, or several of one status. A missed run stands for several due times, too.', {
      ...several('due times'),
      id: t.id('The run; the newest of several.'),
      status: t.oneOf(runStatuses, 'The status of a run.'),
      durationMs: t.integerOrNull('How long it took; null if it was not called or has not ended.'),
    }),
    'What ran in the period, the oldest first.',
  ),
  runsFrom: t.momentOrNull(
    'Before it only runs that were no success are in `runs`, the newest 200 of them: there are too many. Null if all are.',
  ),
  due: t.array(
    t.part('A due time, or several.', several('due times')),
    'When it is due from now on.',
  ),
  isDuePartial: t.flag('Whether it is due more often than `due` says: there are too many.'),
});

const busyExample = {
  at: '2025-10-09T05:31:00.000Z',
  count: 14,
  hosts: [{ host: 'db.example.com', count: 12 }],
  spread: { seconds: 600, most: 3 },
};

const densityExample = {
  from: at,
  counts: [0, 14, 1],
  collisions: [1],
  busiest: [busyExample],
  isPartial: false,
};

const Density = t.output(
  'Density',
  'How many due times each minute to come has, of all jobs of the workspace. At most a minute old.',
  densityExample,
  {
    from: t.moment('The first minute.'),
    counts: t.array(t.integer('Due times.'), 'For each minute from `from` on.'),
    collisions: t.array(
      t.integer('The index of its count.'),
      'The minutes with 10 calls or more of one host.',
    ),
    busiest: t.array(
      t.part('A minute.', {
        at: t.moment('When it begins.'),
        count: t.integer('Its due times.'),
        hosts: t.array(
          t.part('A host.', {
            host: t.text('The host of their URLs.'),
            count: t.integer('Its calls.'),
          }),
          'The three hosts with the most calls.',
        ),
        spread: t.nullable(
          t.part('What a spread would make of a collision; null if none helps.', {
            seconds: t.integer(
              'The `spreadSeconds` of its jobs, with which none is still waited for when it is due again.',
            ),
            most: t.integer('The calls of the busiest minute that would be left.'),
          }),
        ),
      }),
      'The busiest 100 minutes, collisions first.',
    ),
    isPartial: t.flag(
      'Whether not all was counted: 5,000 jobs that are due, 50,000 due times and 7 days ahead are the most.',
    ),
  },
);

const rows = partialPage('jobs', TimetableJob);
export const Timetable = t.envelope(
  'Timetable',
  {
    ...rows,
    jobs: t.array(TimetableJob, 'By name.'),
    density: Density,
    clockChanges: t.array(
      t.part('A change of the clocks.', {
        at: t.moment('When.'),
        timezone: t.text('In which zone.'),
        minutes: t.integer('By how much they are set forward; negative if they are set back.'),
      }),
      'Changes of the clocks in the zones of these jobs.',
    ),
  },
  {
    jobs: [rowExample],
    nextCursor: null,
    isPartial: false,
    density: densityExample,
    clockChanges: [{ at: '2025-10-26T01:00:00.000Z', timezone: 'Europe/Paris', minutes: -60 }],
  },
);
export type Timetable = Static<typeof Timetable>;
export type TimetableRow = Timetable['jobs'][number];
