/** What the extensions accept and return about jobs: due times, copies, and actions on many jobs. */

import { Type, type Static } from 'typebox';
import { jobActions, mostActedJobs } from '../../domain/jobs/actions.ts';
import { afterOnWords } from '../../domain/jobs/after-words.ts';
import * as t from '../http/schema.ts';
import { SchedulePreview } from '../schedule/contract.ts';
import * as examples from './examples.ts';
import { afterOnText, JobInput } from './contract.ts';

export const defaultDueTimes = 5;

export const DueTimesQuery = t.query({
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'The number of due times to return.',
      default: defaultDueTimes,
    }),
  ),
});

export const DueTimes = t.output('DueTimes', 'When a job is due.', examples.dueTimes, {
  words: SchedulePreview.properties.words,
  next: t.array(
    t.moment('A due time.'),
    'The next due times in order; the first is `nextRunAt` of the job. None while the job is paused and after the ' +
      'account has expired: a note says so.',
  ),
  notes: t.array(
    t.text('A sentence.'),
    'Why there are fewer due times than asked for, effects of daylight saving on them, and steps past the end of their field.',
  ),
});
export type DueTimes = Static<typeof DueTimes>;

const chained = {
  id: t.id('The id of the job.'),
  name: t.text('The name of the job.'),
  on: t.oneOf(afterOnWords, afterOnText),
};

export const JobChain = t.output(
  'JobChain',
  'The neighbours of a job in its chain.',
  examples.chain,
  {
    after: Type.Union(
      [
        t.part('The job that it runs after.', {
          jobId: t.id('The id of that job.'),
          name: t.textOrNull('The name of that job; null if it is gone.'),
          on: t.oneOf(afterOnWords, afterOnText),
        }),
        Type.Null(),
      ],
      { description: 'What it runs after; null if it is on a schedule.' },
    ),
    followers: t.array(
      t.part('A job that runs after it.', chained),
      'Up to 100 jobs, oldest first.',
    ),
  },
);
export type JobChain = Static<typeof JobChain>;

export const JobCopy = t.input('JobCopy', 'What a copy is called.', [examples.jobCopy], {
  name: JobInput.properties.name,
});

export const JobActions = t.input(
  'JobActions',
  'What to do, and with which jobs.',
  [examples.jobActions],
  {
    action: t.oneOf(jobActions, 'What to do with each job.'),
    ids: Type.Array(
      Type.String({ format: 'uuid', maxLength: 36, description: 'The id of a job.' }),
      {
        minItems: 1,
        maxItems: mostActedJobs,
        description: `Up to ${mostActedJobs} different ids.`,
      },
    ),
  },
);

const ActionResult = t.output(
  'JobActionResult',
  'What became of one job.',
  examples.jobActionResult,
  {
    id: t.text('The id from the request, in lower case if it is one.'),
    error: t.textOrNull(
      'Why the job was left as it is; null if it is now paused, resumed, queued or deleted, or is over.',
    ),
    isOver: t.flag(
      'Whether it was left as it is because it is not due any more: its `runAt` or its `notAfter` has passed.',
    ),
    runId: Type.Optional(t.id('The id of the run that was queued.')),
  },
);

export const JobActionResults = t.envelope(
  'JobActionResults',
  { results: t.array(ActionResult, 'In the order of the ids.') },
  examples.jobActionResults,
);
export type JobActionResults = Static<typeof JobActionResults>;
