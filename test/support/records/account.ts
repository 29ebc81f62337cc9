/** Accounts of a running daemon, on a plan chosen by the test. */

import * as accounts from '../../../src/app/accounts/accounts.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { openTestLocal } from '../running/local.ts';
import { newId } from '../../../src/domain/id.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import type { PlanName } from '../../../src/domain/accounts/plan.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import type { FakeClock } from '../fakes/clock.ts';
import type { Answer, TestDaemon } from '../running/daemon.ts';
import { sealed } from '../fakes/vault.ts';

export interface TestAccount {
  name: string;
  workspaceId: string;
  /** A key with write permission. */
  key: string;
  /** Calls the API with that key, after the minute of the rate limit has passed. */
  ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Adds a workspace to the account. Returns a key of it with write permission. */
  addWorkspace: () => Promise<string>;
  /** Puts this many jobs into the store, past all limits. They are due once a year. */
  fill: (jobs: number) => Promise<void>;
  /** The operator's functions, at the time of the clock. */
  setPlan: (plan: PlanName) => Promise<unknown>;
  setTrial: (until: number) => Promise<unknown>;
  subscribe: (until: number | null) => Promise<unknown>;
  cancel: () => Promise<unknown>;
}

/** Creates an account with one workspace of the same name. */
export async function addAccount(
  daemon: TestDaemon,
  clock: FakeClock,
  plan: PlanName,
  trialDays: number | null = null,
): Promise<TestAccount> {
  const { dataDir } = daemon;
  await using local = await openTestLocal(dataDir, clock);
  const name = newId(clock.now());
  await accounts.createAccount(local, { name, plan, trialDays });
  const { id: workspaceId } = await createWorkspace(local, { name, account: name });
  const given = { permission: 'write', name: '' } as const;
  const { secret: key } = await createKey(local, { workspace: name, ...given });
  const change = async (
    work: (parts: Parameters<typeof accounts.cancel>[0]) => Promise<unknown>,
  ): Promise<unknown> => {
    await using reopened = await openTestLocal(dataDir, clock);
    return await work(reopened);
  };
  return {
    name,
    workspaceId,
    key,
    ask(method, path, body) {
      clock.pass(60_001);
      return daemon.ask(method, path, body, key);
    },
    async addWorkspace() {
      await using reopened = await openTestLocal(dataDir, clock);
      const workspace = newId(clock.now());
      await createWorkspace(reopened, { name: workspace, account: name });
      return (await createKey(reopened, { workspace, ...given })).secret;
    },
    async fill(jobs) {
      await using reopened = await openTestLocal(dataDir, clock);
      await reopened.store.write(async (tx) => {
        for (let count = 0; count < jobs; count += 1) {
          const now = clock.now();
          const input = { name: 'filler', url: 'https://example.com/', cronExpr: '0 0 1 1 *' };
          const context = { id: newId(now), workspaceId, now, allowTargets: [] };
          await insertJob(tx, await sealed(defineJob(input, context)));
        }
      });
    },
    setPlan: (to) => change((parts) => accounts.setPlan(parts, name, to)),
    setTrial: (until) => change((parts) => accounts.setTrial(parts, name, until)),
    subscribe: (until) => change((parts) => accounts.subscribe(parts, name, until)),
    cancel: () => change((parts) => accounts.cancel(parts, name)),
  };
}
