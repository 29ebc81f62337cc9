/** Runs that wait for the reports of their targets. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Run } from '../../../src/api/runs/contract.ts';
import { fakeClock, type FakeClock } from '../fakes/clock.ts';
import { startSink, type Received, type Sink } from '../fakes/sink.ts';
import { readAnswer, startTestDaemon, type Answer, type TestDaemon } from './daemon.ts';
import { until } from '../until.ts';

export interface Story {
  daemon: TestDaemon;
  clock: FakeClock;
}

/** A jobd on a fake clock. */
export async function begin(t: TestContext, flags: Record<string, string> = {}): Promise<Story> {
  const clock = fakeClock('2026-03-02T10:00:00Z');
  return { daemon: await startTestDaemon(t, { clock, flags }), clock };
}

/** Waits for a fact while time passes: what fails once, on a busy machine, is tried again after a while. */
export async function untilAfterAWhile(
  { clock }: Pick<Story, 'clock'>,
  what: string,
  fact: () => boolean,
): Promise<void> {
  await until(what, () => {
    const isSo = fact();
    if (!isSo) clock.advanceBoth(1_000);
    return isSo;
  });
}

/** A target that answers 202. */
export function accepting(t: TestContext, body = ''): Promise<Sink> {
  return startSink(t, (response) => response.writeHead(202).end(body));
}

/** A job that is not due for a year, unless its fields say otherwise. */
export async function create({ daemon }: Pick<Story, 'daemon'>, fields: object): Promise<Job> {
  const input = { name: 'a', cronExpr: '0 0 1 1 *', reportWithinSeconds: 600, ...fields };
  const { status, body } = await daemon.ask('POST', '/jobs', input);
  assert.equal(status, 201, body.error);
  return body.job;
}

export interface Waiting {
  job: Job;
  run: Run;
  path: string;
  reportUrl: string;
  read: () => Promise<Run>;
  ended: () => Promise<Run>;
}

/** Runs a job by hand, until its run waits for a report. */
export async function startWait(
  story: Pick<Story, 'daemon'>,
  sink: Sink,
  fields = {},
): Promise<Waiting> {
  const job = await create(story, { url: sink.url, ...fields });
  return await waitOf(story, sink, job);
}

export async function waitOf(
  { daemon }: Pick<Story, 'daemon'>,
  sink: Sink,
  job: Job,
): Promise<Waiting> {
  const queued = await daemon.ask('POST', `/jobs/${job.id}/run`);
  assert.equal(queued.status, 202, queued.body.error);
  const path = `/jobs/${job.id}/runs/${queued.body.run.id}`;
  const read = async (): Promise<Run> => (await daemon.ask('GET', path)).body.run;
  const run = await until('the wait', async () => {
    const now = await read();
    return now.report !== undefined && now;
  });
  const ended = () => endOf({ daemon }, path);
  return { job, run, path, reportUrl: urlIn(sink.received.at(-1)), read, ended };
}

/** The run at a path, once it is over. */
export function endOf({ daemon }: Pick<Story, 'daemon'>, path: string): Promise<Run> {
  const read = async (): Promise<Run | false> => {
    const run: Run = (await daemon.ask('GET', path)).body.run;
    return run.finishedAt !== null && run;
  };
  return until('the end of the run', read);
}

export function urlIn(received: Received | undefined): string {
  return String(received?.headers['x-service-report-url']);
}

export async function send(
  url: string,
  options: { method?: string; body?: object } = {},
): Promise<Answer> {
  const { method = 'POST', body } = options;
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  return await readAnswer(method, response);
}

export const ok = { ok: true };
