/** Promises about creating, changing and calling jobs (docs/behavior.md#jobs). */

import assert from 'node:assert/strict';
import { nowhere } from '../../support/records/customer.ts';
import type { Promised } from '../../support/records/customer.ts';
import { startSink } from '../../support/fakes/sink.ts';

const section = 'jobs';

export const jobChangePromises: readonly Promised[] = [
  {
    section,
    promise: 'an update with headers replaces all of them, and {} removes them',
    async check({ createJob, call }) {
      const { id } = await createJob({ headers: { 'X-A': '1', 'X-B': '2' } });
      const namesAfter = async (body: object): Promise<string[]> =>
        (await call('PATCH', `/jobs/${id}`, { body })).body.job.headerNames;
      assert.deepEqual(await namesAfter({ name: 'b' }), ['X-A', 'X-B']);
      assert.deepEqual(await namesAfter({ headers: { 'X-C': '3' } }), ['X-C']);
      assert.deepEqual(await namesAfter({ headers: {} }), []);
    },
  },
  {
    section,
    promise: 'paused creates a paused job; without it a job starts active',
    async check({ createJob }) {
      const paused = await createJob({ paused: true });
      assert.deepEqual([paused.paused, paused.nextRunAt], [true, null]);
      for (const input of [{}, { paused: false }]) {
        const active = await createJob(input);
        assert.equal(active.paused, false);
        assert.ok(active.nextRunAt !== null);
      }
    },
  },
  {
    section,
    promise: 'paused and workspaceId are accepted at creation only',
    async check({ createJob, refused, workspaceId }) {
      const { id } = await createJob({ workspaceId });
      for (const body of [{ paused: true }, { workspaceId }]) {
        await refused(400, 'PATCH', `/jobs/${id}`, { body });
      }
    },
  },
  {
    section,
    promise: 'action is pause or resume, and accepted in updates only',
    async check({ createJob, refused }) {
      const { id } = await createJob();
      const body = { name: 'a', url: nowhere, action: 'pause' };
      await refused(400, 'POST', '/jobs', { body });
      await refused(400, 'PATCH', `/jobs/${id}`, { body: { action: 'stop' } });
    },
  },
  {
    section,
    promise: 'every field is optional in an update, and only given fields change',
    async check({ createJob, call, readJob }) {
      const before = await createJob({ notes: 'before' });
      const expected = { ...before };
      for (const body of [
        {},
        { name: 'b' },
        { retries: 1 },
        { notes: '' },
        { timeoutSeconds: 9 },
      ]) {
        Object.assign(expected, body);
        const { status, body: answered } = await call('PATCH', `/jobs/${before.id}`, { body });
        assert.equal(status, 200);
        assert.deepEqual(answered, { job: expected });
      }
      assert.deepEqual(await readJob(before.id), expected);
    },
  },
  {
    section,
    promise: 'a call has the method, headers and body of the job',
    async check({ createJob, run }, t) {
      const { url, received } = await startSink(t);
      const headers = { 'X-Token': 'abc', 'Content-Type': 'application/json' };
      const job = await createJob({ url: `${url}/do?it=1`, method: 'PUT', headers, body: '{}' });
      await run(job.id);
      const [got] = received;
      assert.equal(received.length, 1);
      assert.deepEqual([got?.method, got?.path, got?.body], ['PUT', '/do?it=1', '{}']);
      assert.equal(got?.headers['x-token'], 'abc');
      assert.equal(got?.headers['content-type'], 'application/json');
    },
  },
];
