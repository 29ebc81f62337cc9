/** A service whose time is simulated: jobs become due, are claimed and end, without any call. */

import type { TestContext } from 'node:test';
import { afterAction } from '../../../src/domain/jobs/actions.ts';
import { defineJob, changeJob, type JobInput } from '../../../src/domain/jobs/job-input.ts';
import { newId } from '../../../src/domain/id.ts';
import { createReplanner } from '../../../src/engine/upkeep/replan.ts';
import { claimDueJobs } from '../../../src/engine/runs/due.ts';
import { findEarliestDueTime } from '../../../src/store/runs/claims.ts';
import { recordEndedRuns } from '../../../src/store/runs/ended.ts';
import { keepScheduleStates } from '../../../src/store/jobs/actions.ts';
import { keepSpans } from '../../../src/store/jobs/schedule-spans.ts';
import { findJob, insertJob, updateJob } from '../../../src/store/jobs/jobs.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { fakeClock, type FakeClock } from '../fakes/clock.ts';
import { opened, sealed } from '../fakes/vault.ts';
import { endedRun } from '../records/run.ts';
import { loopback, openTestStore } from '../running/store.ts';

export interface SimulatedService {
  store: Store;
  workspaceId: string;
  clock: FakeClock;
  readonly addJob: (input: Partial<JobInput>) => Promise<string>;
  readonly act: (id: string, action: 'pause' | 'resume') => Promise<void>;
  readonly change: (id: string, fields: Partial<JobInput>) => Promise<void>;
  /** Serves up to an instant, in epoch milliseconds: what becomes due is called when it is due, and ends at once. */
  readonly serveUntil: (at: number) => Promise<void>;
  /** Sets the clock, and plans again as after a start. */
  readonly setClock: (at: number) => Promise<void>;
}

const allSlots = {
  bounds: () => ({ limit: 500, exceptHosts: [], exceptJobs: [] }),
  take: () => true,
};

/** Makes a service without jobs. Its time begins at `start`. */
export async function simulateService(t: TestContext, start: string): Promise<SimulatedService> {
  const { store, workspaceId } = await openTestStore(t);
  const clock = fakeClock(start);
  let servingSince = clock.now();

  async function claim(tx: Db): Promise<void> {
    const now = clock.now();
    for (let more = true; more;) {
      const claimed = await claimDueJobs(tx, allSlots, { now, servingSince, nodeId: null });
      more = claimed.more;
      await keepSpans(tx, claimed.spans);
      const ended = claimed.executions.map((run) => endedRun(run, 'success'));
      await recordEndedRuns(tx, ended);
    }
  }

  return {
    store,
    workspaceId,
    clock,
    async addJob(input) {
      const now = clock.now();
      const job = defineJob(
        { name: 'simulated', url: 'http://127.0.0.1:1/', ...input },
        { id: newId(now), workspaceId, now, allowTargets: loopback },
      );
      await insertJob(store.db, await sealed(job));
      return job.id;
    },
    async act(id, action) {
      const now = clock.now();
      await store.write(async (tx) => {
        const before = await requireJob(tx, id);
        const after = afterAction(before, action, now);
        if (after !== before) await keepScheduleStates(tx, [{ before, after }], now);
      });
    },
    async change(id, fields) {
      const now = clock.now();
      const before = await requireJob(store.db, id);
      const after = changeJob(opened(before), fields, { now, allowTargets: loopback });
      const row = await sealed(after);
      await store.write((tx) => updateJob(tx, before, row, now));
    },
    async serveUntil(at) {
      servingSince = clock.now();
      // In one transaction: what is simulated here is time, and no disk.
      await store.write(async (tx) => {
        for (;;) {
          await claim(tx);
          const next = await findEarliestDueTime(tx, clock.now(), []);
          if (next === null || next > at) break;
          clock.set(Math.max(next, clock.now()));
        }
      });
      clock.set(at);
    },
    async setClock(at) {
      clock.set(at);
      const replanner = createReplanner(store, clock);
      for (let restMs = 0; restMs !== Infinity;) ({ restMs } = await replanner.step());
    },
  };

  async function requireJob(db: Db, id: string) {
    const job = await findJob(db, workspaceId, id);
    if (job === undefined) throw new Error(`there is no job ${id}`);
    return job;
  }
}
