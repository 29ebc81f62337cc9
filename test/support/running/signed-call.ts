/** A real call of a real jobd that says who makes it. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { startSink, type Received } from '../fakes/sink.ts';
import { until } from '../until.ts';
import { startTestDaemon, type TestDaemon } from './daemon.ts';

export interface SignedCall {
  daemon: TestDaemon;
  job: { id: string };
  run: { id: string; status: string; scheduledFor: string; responseBody: string };
  /** The request as the target got it. */
  received: Received;
  /** The URL that was called. */
  url: string;
}

/** Runs a job with these fields once, and returns what its target got. */
export async function callSigned(
  t: TestContext,
  fields: object,
  given?: TestDaemon,
  path = '/hook?tenant=7&b=%20',
): Promise<SignedCall> {
  const daemon = given ?? (await startTestDaemon(t));
  const sink = await startSink(t, (response, { headers }) => {
    response.end(`you sent ${headers.authorization ?? 'no token'}`);
  });
  const url = `${sink.url}${path}`;
  const input = { name: 'signed', url, cronExpr: '0 0 1 1 *', timezone: 'UTC', ...fields };
  const created = await daemon.ask('POST', '/jobs', input);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { job } = created.body;
  const asked = await daemon.ask('POST', `/jobs/${job.id}/run`);
  const runPath = `/jobs/${job.id}/runs/${asked.body.run.id}`;
  const run = await until('the end of the run', async () => {
    const { body } = await daemon.ask('GET', runPath);
    return ['queued', 'running'].includes(body.run.status) ? null : body.run;
  });
  assert.equal(run.error, null);
  return { daemon, job, run, received: sink.received[0] ?? assert.fail(), url };
}
