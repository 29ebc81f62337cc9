/** Jobs and runs that the timetable does not show: each condition hides its row. */

import { listMarkedRuns, listPlannedCalls } from '../../../src/wings/timetable/query.ts';
import { changed, deleted, rowsWith, testGuards } from '../../support/checks/guards.ts';

const before = { scheduledFor: 1_000, source: 'manual' } as const;
const period = { from: 0, before, limit: 100 };

testGuards({
  'the density has no deleted jobs, and none without a due time': [
    async (tx) => rowsWith('planned', await listPlannedCalls(tx, 'w', { afterId: '', limit: 100 })),
    deleted('jobs', 'planned'),
    changed('jobs', 'planned', { next_run_at: null }),
  ],
  'where there are too many runs, those that succeeded are left out': [
    async (tx) => {
      const found = await listMarkedRuns(tx, 'leader', { ...period, isOnlyBad: true });
      return found.filter(({ id }) => id === 'missed');
    },
    changed('runs', 'missed', {
      status: 'success',
      started_at: 1,
      finished_at: 2,
      http_status: 200,
      reason: null,
      detail: null,
      last_due_at: null,
      missed_count: null,
    }),
  ],
});
