/** What the API returns for the figures of a job. */

import { Type, type Static } from 'typebox';
import * as t from '../../api/http/schema.ts';

const month = {
  days: 30,
  success: 719,
  failed: 1,
  interrupted: 0,
  missed: 0,
  rate: 0.9986,
  durations: { p50Ms: 212, p95Ms: 390, p99Ms: 641, runs: 720 },
  countedFrom: null,
};

const PeriodFigures = t.output('PeriodFigures', 'What became of runs in the last days.', month, {
  days: t.integer('How many days: 1, 7 or 30.'),
  success: t.integer('Runs that succeeded. Runs by hand count, replays and make-ups too.'),
  failed: t.integer('Runs that failed.'),
  interrupted: t.integer('Runs whose outcome is not known.'),
  missed: t.integer('Due times that were missed.'),
  rate: t.nullable(
    Type.Number({
      description: 'Successes of all of these, from 0 to 1, rounded down; null if there are none.',
    }),
  ),
  durations: t.nullable(
    t.part(
      'How long answered runs took, of the newest 5,000 at most. Each is a duration that occurred.',
      {
        p50Ms: t.integer('The median, in milliseconds.'),
        p95Ms: t.integer('The 95th percentile, in milliseconds.'),
        p99Ms: t.integer('The 99th percentile, in milliseconds.'),
        runs: t.integer('Of how many runs.'),
      },
    ),
  ),
  countedFrom: t.momentOrNull(
    'From when on runs are counted, if not for all of the days: what was before is no longer kept, or too much. Else null.',
  ),
});
export type PeriodFigures = Static<typeof PeriodFigures>;

export const JobFigures = t.envelope('JobFigures', {
  periods: t.array(PeriodFigures, 'For the last 1, 7 and 30 days.'),
});
export type JobFigures = Static<typeof JobFigures>;
