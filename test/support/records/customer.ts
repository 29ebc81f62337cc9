/** A customer who has read docs/behavior.md and nothing else: plain fetch, in a workspace of their own. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Run } from '../../../src/api/runs/contract.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import type { Permission } from '../../../src/domain/accounts/key.ts';
import { readAnswer, startTestDaemon } from '../running/daemon.ts';
import type { Answer, TestDaemon } from '../running/daemon.ts';
import { until } from '../until.ts';
import { addWorkspace } from './workspace.ts';

/** What may be said beside method and path; `key` null sends none. */
export interface Asking {
  body?: unknown;
  headers?: Record<string, string>;
  key?: string | null;
}

export interface Customer {
  /** Where the versioned paths begin. */
  baseUrl: string;
  siteUrl: string;
  dataDir: string;
  workspaceId: string;
  /** May write. */
  key: string;
  newKey: (permission: Permission) => Promise<string>;
  call: (method: string, path: string, asking?: Asking) => Promise<Answer>;
  /** Calls, and demands a failure of this status. */
  refused: (status: number, method: string, path: string, asking?: Asking) => Promise<Answer>;
  /** Makes a job; what is not said is the least there must be. */
  createJob: (input?: object) => Promise<Job>;
  /** Runs a job by hand and waits for the end of the run. */
  run: (jobId: string) => Promise<Run>;
  readJob: (jobId: string) => Promise<Job>;
  readRuns: (jobId: string) => Promise<Run[]>;
}

/** Between looks at a run that goes on. */
const pollMs = 40;

/** A target at which nobody listens. */
export const nowhere = 'http://127.0.0.1:1/';

/** A customer of a service of their own. */
export async function startForCustomer(
  t: TestContext,
  options: { clock?: Clock; flags?: Record<string, string> } = {},
): Promise<Customer> {
  const { url, dataDir } = await startTestDaemon(t, options);
  return await newCustomer({ url, dataDir: options.flags?.['data'] ?? dataDir });
}

/** Another customer of a service. */
export async function newCustomer({
  url,
  dataDir,
}: Pick<TestDaemon, 'url' | 'dataDir'>): Promise<Customer> {
  const workspace = await addWorkspace(dataDir);
  const ownKey = await workspace.newKey('write');
  const baseUrl = `${url}/api/v1`;

  const call = async (
    method: string,
    path: string,
    { body, headers = {}, key = ownKey }: Asking = {},
  ): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return await readAnswer(method, response);
  };
  const good = async (status: number, method: string, path: string, asking?: Asking) => {
    const answer = await call(method, path, asking);
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    baseUrl,
    siteUrl: url,
    dataDir,
    workspaceId: workspace.id,
    key: ownKey,
    newKey: workspace.newKey,
    call,
    async refused(status, method, path, asking) {
      const answer = await call(method, path, asking);
      const what = `${method} ${path} ${JSON.stringify(asking?.body)?.slice(0, 200)}`;
      assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
      assert.deepEqual(Object.keys(answer.body), ['error'], what);
      assert.equal(typeof answer.body.error, 'string', what);
      return answer;
    },
    async createJob(input) {
      const body = { name: 'a job', url: nowhere, ...input };
      return (await good(201, 'POST', '/jobs', { body })).job;
    },
    async run(jobId) {
      const { resultUrl } = await good(202, 'POST', `/jobs/${jobId}/run`);
      return await until('the end of the run', async () => {
        // As a customer with 120 requests a minute would: not as fast as it goes.
        await setTimeout(pollMs);
        const { run } = await good(200, 'GET', String(resultUrl).replace(baseUrl, ''));
        return run.status === 'queued' || run.status === 'running' ? null : (run as Run);
      });
    },
    readJob: async (jobId) => (await good(200, 'GET', `/jobs/${jobId}`)).job,
    readRuns: async (jobId) => (await good(200, 'GET', `/jobs/${jobId}/runs`)).runs,
  };
}

/** A row of the table of promises. */
export interface Promised {
  /** The heading of docs/behavior.md that it stands under, as links name it. */
  section: string;
  /** What is promised, in our words. */
  promise: string;
  check: (customer: Customer, t: TestContext) => Promise<unknown>;
}
