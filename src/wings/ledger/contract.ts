import { Type, type Static } from 'typebox';
import { page, PageQuery } from '../../api/http/contract.ts';
import * as t from '../../api/http/schema.ts';
import { job, jobId } from '../../api/jobs/examples.ts';
import { spanEnds } from '../../domain/schedule/span.ts';

const ledgerExample = {
  id: jobId,
  name: job.name,
  keptFrom: null,
  called: 23,
  missed: 1,
  waiting: 0,
  explained: [],
  explainedBy: { paused: 0, changed: 0, expired: 0, corrected: 0, restored: 0, held: 0 },
  unaccounted: [],
  unexpected: [],
};

const DueTimes = {
  first: t.moment('The first of them.'),
  last: t.moment('The last of them.'),
  count: t.integer('How many there are.'),
};

const LedgerJob = t.output(
  'LedgerJob',
  'What became of the due times of a job. Lists have 100 entries at most.',
  ledgerExample,
  {
    id: t.id('The id of the job.'),
    name: t.text('The name of the job.'),
    keptFrom: t.momentOrNull('From when on its history is kept, if that is later than `since`.'),
    called: t.integer('Due times that have a run of their own.'),
    missed: t.integer('Due times that a missed run stands for.'),
    waiting: t.integer('Due times that have passed, and are still to be called or missed.'),
    explained: t.array(
      t.part('Due times of a schedule that was not in force any more.', {
        reason: t.oneOf(
          spanEnds,
          'Why: the job was `paused`, its schedule was `changed`, its account had `expired`, its due time was `corrected` ' +
            'after the clock was set, a window `held` it, or the database was `restored`, and the one before has decided on them.',
        ),
        ...DueTimes,
      }),
      'Due times that were neither called nor missed, for a reason that is recorded.',
    ),
    explainedBy: t.part(
      'How many due times each reason explains: all of them, also where `explained` has 100 entries.',
      {
        paused: t.integer('While the job was paused.'),
        changed: t.integer('Of a schedule that was changed.'),
        expired: t.integer('While the account had expired.'),
        corrected: t.integer('Before the clock was set.'),
        restored: t.integer('Decided on by the database before a restore.'),
        held: t.integer('Held by a window.'),
      },
    ),
    unaccounted: t.array(
      t.part('Due times in a row.', DueTimes),
      'Due times without any trace: nothing says what became of them.',
    ),
    unexpected: t.array(t.moment('A due time.'), 'Due times of runs that no schedule explains.'),
  },
);
export type LedgerJob = Static<typeof LedgerJob>;

export const LedgerPage = t.envelope('LedgerPage', page('jobs', LedgerJob), {
  jobs: [ledgerExample],
  nextCursor: null,
});
export type LedgerPage = Static<typeof LedgerPage>;

export const LedgerQuery = t.query({
  jobId: Type.Optional(t.id('Only this job. Default: all.')),
  since: Type.Optional(
    t.text('Only due times after it, ISO 8601 with an offset or `Z`. Default: the last 24 hours.'),
  ),
  until: Type.Optional(
    t.text('Only due times up to it, ISO 8601 with an offset or `Z`. Default: now.'),
  ),
  ...PageQuery.properties,
});
