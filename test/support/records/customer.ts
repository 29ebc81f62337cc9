/** A customer who has only read docs/behavior.md: plain fetch, in their own workspace. */

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

/** Options besides method and path; `key` null sends none. */
export interface Asking {
  body?: unknown;
  headers?: Record<string, string>;
  key?: string | null;
}

export interface Customer {
  /** The base of the versioned paths. */
  baseUrl: string;
  siteUrl: string;
  dataDir: string;
  workspaceId: string;
  /** With write permission. */
  key: string;
  newKey: (permission: Permission) => Promise<string>;
  call: (method: string, path: string, asking?: Asking) => Promise<Answer>;
  /** Calls, and asserts a failure of this status. */
  refused: (status: number, method: string, path: string, asking?: Asking) => Promise<Answer>;
  /** Creates a job; omitted fields have the smallest valid values. */
  createJob: (input?: object) => Promise<Job>;
  /** Runs a job by hand and waits for the end of the run. */
  run: (jobId: string) => Promise<Run>;
  readJob: (jobId: string) => Promise<Job>;
  readRuns: (jobId: string) => Promise<Run[]>;
}

/** The wait between two polls of a run. */
const pollMs = 40;

/** A target without a listener. */
export const nowhere = 'http://127.0.0.1:1/';

/** A customer with their own service. */
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
        // As fast as a customer with 120 requests a minute may be.
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
  /** The anchor of its heading in docs/behavior.md. */
  section: string;
  /** The promise, in our words. */
  promise: string;
  check: (customer: Customer, t: TestContext) => Promise<unknown>;
}
