/** An engine with an app beside it: for jobs that run after others, and whose results are posted. */

import type { TestContext } from 'node:test';
import { createJob, updateJob } from '../../../src/app/jobs/jobs.ts';
import type { KeptJob } from '../../../src/app/jobs/keep-job.ts';
import type { JobInput, JobUpdate } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { quietApp } from './app.ts';
import { dueOnce, setupEngine } from './engine.ts';
import { loopback } from './store.ts';
import { writerIn } from '../records/principal.ts';

/** What a test of chained jobs works with. */
export async function setupChain(t: TestContext) {
  const setup = await setupEngine(t);
  const app = quietApp({ store: setup.store, clock: setup.clock, allowTargets: loopback });
  const writer = writerIn(setup.workspaceId);
  const add = (name: string, url: string, input: Partial<JobInput> = {}): Promise<KeptJob> =>
    createJob(app, writer, { ...dueOnce, name, url, ...input });
  const update = (job: Job, change: JobUpdate): Promise<KeptJob> =>
    updateJob(app, writer, job.id, change);
  return { ...setup, app, writer, add, update };
}
