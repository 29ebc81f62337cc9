/** A real store in a temporary directory, and jobs to put in it. */

import type { TestContext } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { defineJob, type JobInput } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { parseAllowTargets } from '../../../src/domain/targets/target.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { activateMasterKey, listMasterKeys } from '../../../src/store/secrets/master-keys.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/database/store.ts';
import {
  defaultWorkspace,
  ensureDefaultWorkspace,
  findWorkspace,
} from '../../../src/store/accounts/workspaces.ts';
import { temporaryDirectory } from '../directory.ts';
import { databaseFor } from './local.ts';
import { sealed, testMasterKeyId } from '../fakes/vault.ts';

/** Loopback, every port: the targets of tests. */
export const loopback = parseAllowTargets(['127.0.0.1/32:*']);

export interface TestStore {
  store: Store;
  dataDir: string;
  workspaceId: string;
  /** Stores a job; omitted fields have defaults. */
  readonly addJob: (input?: Partial<JobInput>, createdAt?: number) => Promise<Job>;
}

/** Opens a new store, in the database of this URL if one is given; it is closed and removed with the test. */
export async function openTestStore(t: TestContext, database?: string): Promise<TestStore> {
  const dataDir = temporaryDirectory(t);
  const store = await openStore(database ?? (await databaseFor(dataDir)) ?? dataDir);
  t.after(() => store[Symbol.asyncDispose]());
  await ensureDefaultWorkspace(store, newId(0), 0);
  // Another store of the test may have opened this database before.
  const masterKeys = await listMasterKeys(store.db);
  if (masterKeys.length === 0) await activateMasterKey(store.db, testMasterKeyId, 0);
  const workspaceId = (await findWorkspace(store.db, defaultWorkspace))?.id ?? '';
  return {
    store,
    dataDir,
    workspaceId,
    addJob: async (input = {}, createdAt = Date.parse('2026-03-02T10:00:00Z')) => {
      const cronExpr = input.scheduleType === 'period' ? null : '* * * * *';
      const job = defineJob(
        { name: 'job', url: 'http://127.0.0.1:1/', cronExpr, ...input },
        { id: newId(createdAt), workspaceId, now: createdAt, allowTargets: loopback },
      );
      await insertJob(store.db, await sealed(job));
      return job;
    },
  };
}
