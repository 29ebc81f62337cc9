/** Promises about the states of jobs and runs (docs/behavior.md#runs). */

import assert from 'node:assert/strict';
import { fakeClock } from '../../support/fakes/clock.ts';
import { serveCommand } from '../../support/running/command.ts';
import { startForCustomer } from '../../support/records/customer.ts';
import type { Promised } from '../../support/records/customer.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const jobStates: readonly Promised[] = [
  {
    section: 'jobs',
    promise: 'a job created paused is never due',
    async check({ createJob }) {
      const { status, nextRunAt } = await createJob({ paused: true });
      assert.deepEqual([status, nextRunAt], ['paused', null]);
    },
  },
  {
    section: 'jobs',
    promise: 'pause stops the schedule, resume starts it, in any state of the job',
    async check({ createJob, call, run }, t) {
      const { url } = await startSink(t);
      const fresh = await createJob();
      const up = await createJob({ url });
      const down = await createJob();
      await run(up.id);
      await run(down.id);
      for (const [{ id }, status] of [
        [fresh, 'new'],
        [up, 'up'],
        [down, 'down'],
      ] as const) {
        for (const action of ['pause', 'pause', 'resume', 'resume']) {
          const { job } = (await call('PATCH', `/jobs/${id}`, { body: { action } })).body;
          const isPaused = action === 'pause';
          assert.equal(job.status, isPaused ? 'paused' : status);
          assert.equal(job.nextRunAt === null, isPaused);
        }
      }
    },
  },
  {
    section: 'jobs',
    promise: 'a call in flight finishes when its job is paused',
    async check({ createJob, call, readJob, readRuns }, t) {
      const sink = await startHeldSink(t);
      const { id } = await createJob({ url: sink.url });
      await call('POST', `/jobs/${id}/run`);
      await sink.waitFor(1);
      assert.equal((await readJob(id)).status, 'running');
      const paused = await call('PATCH', `/jobs/${id}`, { body: { action: 'pause' } });
      assert.deepEqual([paused.status, paused.body.job.status], [200, 'paused']);
      sink.release();
      await until('success', async () => (await readRuns(id))[0]?.status === 'success');
      assert.equal((await readJob(id)).status, 'paused');
    },
  },
];

const runStates: readonly Promised[] = [
  {
    section: 'runs',
    promise: 'a manual run is queued: 202, and resultUrl leads to its result',
    async check({ createJob, call, key }, t) {
      const { url } = await startSink(t);
      const { id } = await createJob({ url });
      const { status, body } = await call('POST', `/jobs/${id}/run`);
      assert.deepEqual([status, body.run.status], [202, 'queued']);
      await until('the result', async () => {
        const headers = { authorization: `Bearer ${key}` };
        const result = (await (await fetch(body.resultUrl, { headers })).json()) as typeof body;
        return result.run.id === body.run.id && result.run.status === 'success';
      });
    },
  },
  {
    section: 'runs',
    promise: 'any 2xx is a success',
    async check({ createJob, run }, t) {
      const codes = [200, 201, 204, 206, 299];
      const { url } = await startSink(t, (response, { path }) =>
        response.writeHead(Number(path.slice(1))).end(),
      );
      for (const code of codes) {
        const ended = await run((await createJob({ url: `${url}/${code}` })).id);
        assert.deepEqual([ended.status, ended.httpStatus], ['success', code]);
      }
    },
  },
  {
    section: 'runs',
    promise: 'any other answer is a failure',
    async check({ createJob, run }, t) {
      const codes = [304, 400, 404, 429, 500, 503];
      const { url } = await startSink(t, (response, { path }) =>
        response.writeHead(Number(path.slice(1))).end(),
      );
      for (const code of codes) {
        const ended = await run((await createJob({ url: `${url}/${code}` })).id);
        assert.deepEqual([ended.status, ended.httpStatus], ['failed', code]);
      }
    },
  },
  {
    section: 'runs',
    promise: 'a connection that fails and a timeout are failures without a code',
    async check({ createJob, run }, t) {
      const silent = await startHeldSink(t);
      for (const input of [{}, { url: silent.url, timeoutSeconds: 1 }]) {
        const ended = await run((await createJob(input)).id);
        assert.deepEqual([ended.status, ended.httpStatus], ['failed', null]);
        assert.ok(ended.error);
      }
    },
  },
  {
    section: 'runs',
    promise: 'a run fails only after its last retry, and succeeds if one of them does',
    async check({ createJob, run }, t) {
      const { url, received } = await startSink(t, (response) => {
        response.writeHead(received.length === 2 ? 200 : 503).end();
      });
      const helped = await run((await createJob({ url, retries: 1 })).id);
      assert.deepEqual([helped.status, helped.attempts], ['success', 2]);
      const failed = await run((await createJob({ url, retries: 1 })).id);
      assert.deepEqual([failed.status, failed.attempts], ['failed', 2]);
      const ids = received.map(({ headers }) => headers['x-service-run-id']);
      assert.deepEqual(ids, [helped.id, helped.id, failed.id, failed.id]);
    },
  },
  {
    section: 'runs',
    promise: 'a run cut off by a stop of the service is interrupted, and not sent again',
    async check(_, t) {
      const sink = await startHeldSink(t);
      const served = await serveCommand(t);
      const key = served.env['JOBD_API_KEY'] ?? '';
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const jobs = `${served.url}/api/v1/jobs`;
      const body = JSON.stringify({ name: 'a', url: sink.url });
      const made = (await (await fetch(jobs, { method: 'POST', headers, body })).json()) as {
        job: { id: string };
      };
      await fetch(`${jobs}/${made.job.id}/run`, { method: 'POST', headers });
      await sink.waitFor(1);
      await served.stop('SIGKILL');
      const { call } = await startForCustomer(t, { flags: { data: served.dataDir } });
      const { runs } = (await call('GET', `/jobs/${made.job.id}/runs`, { key })).body;
      assert.equal(runs.length, 1);
      assert.equal(runs[0].status, 'interrupted');
      assert.equal(sink.received.length, 1);
    },
  },
  {
    section: 'runs',
    promise: 'due times more than a minute past are one missed run and are not called',
    async check(_, t) {
      const clock = fakeClock('2026-03-02T10:00:30Z');
      const { createJob, readRuns } = await startForCustomer(t, { clock });
      const { url, received } = await startSink(t);
      const { id } = await createJob({ url, cronExpr: '*/10 * * * *' });
      clock.set('2026-03-02T11:05:00Z');
      await createJob({ paused: true });
      const [missed, ...others] = await until('the missed run', async () => {
        const runs = await readRuns(id);
        return runs.length > 0 ? runs : null;
      });
      assert.deepEqual(others, []);
      assert.deepEqual([missed?.status, missed?.source], ['missed', 'scheduled']);
      assert.equal(missed?.scheduledFor, '2026-03-02T10:10:00.000Z');
      assert.equal(received.length, 0);
    },
  },
  {
    section: 'runs',
    promise: 'a due time is called and recorded as a scheduled run',
    async check(_, t) {
      const clock = fakeClock('2026-03-02T10:00:30Z');
      const { createJob, readRuns, readJob } = await startForCustomer(t, { clock });
      const { url, received } = await startSink(t);
      const { id } = await createJob({ url, cronExpr: '*/10 * * * *' });
      clock.set('2026-03-02T10:10:02Z');
      await createJob({ paused: true });
      const run = await until('the run', async () => {
        const [first] = await readRuns(id);
        return first?.status === 'success' ? first : null;
      });
      assert.deepEqual([run.source, run.scheduledFor], ['scheduled', '2026-03-02T10:10:00.000Z']);
      assert.equal((await readJob(id)).nextRunAt, '2026-03-02T10:20:00.000Z');
      assert.equal(received[0]?.headers['x-service-run-id'], run.id);
    },
  },
];

export const statePromises: readonly Promised[] = [...jobStates, ...runStates];
