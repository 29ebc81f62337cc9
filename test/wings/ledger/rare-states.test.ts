/** Jobs and runs that the ledger does not count: each condition hides its row. */

import {
  findLedgerJob,
  listDueTimes,
  listLedgerJobs,
  listMissed,
  listStoodFor,
} from '../../../src/wings/ledger/query.ts';
import { changed, deleted, rowsWith, testGuards } from '../../support/checks/guards.ts';

const page = { afterId: '', limit: 100 };
const at1 = { after: 0, until: 10 };
const leaderDeleted = deleted('jobs', 'leader');

testGuards({
  'the ledger has no deleted jobs': [
    async (tx) => rowsWith('leader', await listLedgerJobs(tx, 'w', page)),
    leaderDeleted,
  ],
  'nor finds one by its id': [(tx) => findLedgerJob(tx, 'w', 'leader'), leaderDeleted],
  'the ledger counts due times of scheduled runs alone': [
    (tx) => listDueTimes(tx, 'leader', at1, 10),
    changed('runs', 'missed', {
      source: 'manual',
      status: 'failed',
      started_at: 1,
      finished_at: 2,
    }),
  ],
  'the ledger counts missed runs alone as missed': [
    (tx) => listMissed(tx, 'leader', at1),
    changed('runs', 'missed', { status: 'failed', started_at: 1, finished_at: 2 }),
  ],
  'the ledger counts what a run of the job itself stands for, and no run of a chain': [
    async (tx) => {
      await changed('runs', 'success', { due_at: 5 })(tx);
      return await listStoodFor(tx, 'leader', at1);
    },
    changed('runs', 'success', { cause_job_id: 'chained', cause_run_id: 'chained' }),
  ],
});
