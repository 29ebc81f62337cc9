/** Promises about each operation (docs/behavior.md#the-api). */

import assert from 'node:assert/strict';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startForCustomer } from '../../support/records/customer.ts';
import type { Customer, Promised } from '../../support/records/customer.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';

const section = 'the-api';
const unknownId = '01a1fc58-a505-7000-bebc-059153f75def';

/** Reads a list to its end, at most 20 pages, and returns its items. */
async function walk({ call }: Customer, path: string, of: 'jobs' | 'runs'): Promise<string[]> {
  const met: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; page < 20 && cursor !== null; page += 1) {
    const { body } = await call('GET', `${path}?limit=2${cursor && `&cursor=${cursor}`}`);
    met.push(...body[of].map(({ id }: { id: string }) => id));
    cursor = body.nextCursor === null ? null : encodeURIComponent(body.nextCursor);
  }
  assert.equal(cursor, null, 'the last page says that it is the last');
  return met;
}

const ofJobs: readonly Promised[] = [
  {
    section,
    promise: 'a list has pages, and nextCursor leads to the next one',
    async check(customer) {
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await customer.createJob()).id);
      assert.deepEqual((await walk(customer, '/jobs', 'jobs')).toSorted(), made.toSorted());
    },
  },
  {
    section,
    promise: 'limit is 1 to 100 on every list, and a cursor must come from a previous page',
    async check({ createJob, call, refused }) {
      const { id } = await createJob();
      for (const path of ['/jobs', `/jobs/${id}/runs`]) {
        for (const query of ['limit=1', 'limit=100']) {
          assert.equal((await call('GET', `${path}?${query}`)).status, 200);
        }
        for (const query of ['limit=0', 'limit=101', 'limit=ten', 'cursor=mine']) {
          await refused(400, 'GET', `${path}?${query}`);
        }
      }
    },
  },
  {
    section,
    promise: 'createJob answers 201 with the id and the next run',
    async check({ call }) {
      const body = { name: 'a', url: 'https://example.com/' };
      const { status, body: made } = await call('POST', '/jobs', { body });
      assert.equal(status, 201);
      assert.ok(made.job.id && made.job.nextRunAt);
    },
  },
  {
    section,
    promise: 'getJob returns the job as it was created',
    async check({ createJob, readJob }) {
      const job = await createJob();
      assert.deepEqual(await readJob(job.id), job);
    },
  },
  {
    section,
    promise: 'an update needs a body',
    async check({ createJob, refused }) {
      await refused(400, 'PATCH', `/jobs/${(await createJob()).id}`);
    },
  },
  {
    section,
    promise: 'deleteJob answers { ok: true }, and the job and its runs are gone',
    async check({ createJob, run, call, refused }) {
      const { id } = await createJob();
      const { id: runId } = await run(id);
      const { status, body } = await call('DELETE', `/jobs/${id}`);
      assert.deepEqual([status, body], [200, { ok: true }]);
      for (const path of ['', '/runs', `/runs/${runId}`, `/runs/${runId}/receipt`]) {
        await refused(404, 'GET', `/jobs/${id}${path}`);
      }
      await refused(404, 'DELETE', `/jobs/${id}`);
    },
  },
  {
    section,
    promise: 'an update and a deletion wait for the call in flight',
    async check({ createJob, call }, t) {
      const asks = [
        (id: string) => call('PATCH', `/jobs/${id}`, { body: { name: 'b' } }),
        (id: string) => call('DELETE', `/jobs/${id}`),
      ];
      for (const ask of asks) {
        const sink = await startHeldSink(t);
        const { id } = await createJob({ url: sink.url });
        await call('POST', `/jobs/${id}/run`);
        await sink.waitFor(1);
        const asked = ask(id);
        await call('GET', `/jobs/${id}`);
        sink.release();
        assert.equal((await asked).status, 200);
      }
    },
  },
  {
    section,
    promise: 'an update and a deletion are 409 if the call in flight does not end',
    async check({ createJob, call, refused }, t) {
      const sink = await startHeldSink(t);
      const { id } = await createJob({ url: sink.url });
      await call('POST', `/jobs/${id}/run`);
      await sink.waitFor(1);
      await Promise.all([
        refused(409, 'PATCH', `/jobs/${id}`, { body: { name: 'b' } }),
        refused(409, 'DELETE', `/jobs/${id}`),
      ]);
      sink.release();
    },
  },
];

const ofRuns: readonly Promised[] = [
  {
    section,
    promise: 'a manual run does not change the schedule, and works for a paused job',
    async check({ createJob, run, readJob }) {
      for (const paused of [false, true]) {
        const job = await createJob({ paused });
        await run(job.id);
        const { nextRunAt, paused: isPaused } = await readJob(job.id);
        assert.deepEqual([nextRunAt, isPaused], [job.nextRunAt, paused]);
      }
    },
  },
  {
    section,
    promise: 'a job can be run by hand once a minute, paused or not',
    async check(_, t) {
      const clock = fakeClock();
      const { createJob, run, refused } = await startForCustomer(t, { clock });
      const { id } = await createJob({ paused: true });
      await run(id);
      clock.advance(59_999);
      const { headers } = await refused(429, 'POST', `/jobs/${id}/run`);
      assert.equal(headers.get('retry-after'), '60');
      clock.advance(1);
      await run(id);
    },
  },
  {
    section,
    promise: 'an Idempotency-Key creates one run, however often it is sent',
    async check({ createJob, call, readRuns }, t) {
      const { url, received } = await startSink(t);
      const { id } = await createJob({ url });
      const headers = { 'idempotency-key': 'nightly-17' };
      const sent = Array.from({ length: 10 }, () => call('POST', `/jobs/${id}/run`, { headers }));
      const answers = await Promise.all(sent);
      const [{ id: runId } = { id: '' }, ...others] = await readRuns(id);
      assert.deepEqual(others, []);
      for (const { status, body } of answers) {
        assert.deepEqual([status, body.run.id], [202, runId]);
      }
      assert.ok(received.length <= 1);
    },
  },
  {
    section,
    promise: 'listRuns returns every run in pages, getRun each of them',
    async check(_, t) {
      const clock = fakeClock();
      const customer = await startForCustomer(t, { clock });
      const { createJob, run, call } = customer;
      const { id } = await createJob({ paused: true });
      const made: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        made.push((await run(id)).id);
        clock.advance(60_000);
      }
      assert.deepEqual((await walk(customer, `/jobs/${id}/runs`, 'runs')).toSorted(), made);
      for (const runId of made) {
        const { status, body } = await call('GET', `/jobs/${id}/runs/${runId}`);
        assert.deepEqual([status, body.run.id, body.run.jobId], [200, runId, id]);
      }
    },
  },
  {
    section,
    promise: 'ids are UUIDs: any other text is 404',
    async check({ createJob, refused }) {
      const { id } = await createJob();
      for (const bad of [unknownId, '1', 'me', '%20']) {
        await refused(404, 'GET', `/jobs/${bad}`);
        await refused(404, 'GET', `/jobs/${id}/runs/${bad}`);
      }
    },
  },
  {
    section,
    promise: 'the receipt of a run without an answer is 409, of an unknown run 404',
    async check({ createJob, run, refused }) {
      const { id } = await createJob();
      const { id: runId } = await run(id);
      await refused(409, 'GET', `/jobs/${id}/runs/${runId}/receipt`);
      await refused(404, 'GET', `/jobs/${id}/runs/${unknownId}/receipt`);
      await refused(401, 'GET', `/jobs/${id}/runs/${runId}/receipt`, { key: null });
    },
  },
  {
    section,
    promise: 'bodies are JSON in both directions',
    async check({ call, refused }) {
      const { headers } = await call('GET', '/jobs');
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      const body = { name: 'a', url: 'https://example.com/' };
      const asText = { 'content-type': 'text/plain' };
      await refused(400, 'POST', '/jobs', { body, headers: asText });
    },
  },
];

export const endpointPromises: readonly Promised[] = [...ofJobs, ...ofRuns];
