/** Runs by hand and chains in explanations of a real history. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const daily = { cronExpr: '30 2 * * *', timezone: 'America/New_York' };

interface Explained {
  outcome: string;
  answer: string;
  at: string;
  dueAt: string | null;
  facts: { kind: string; sentence: string; runId?: string }[];
}

async function jobOf({ ask }: TestDaemon, input: object): Promise<string> {
  const { status, body } = await ask('POST', '/jobs', input);
  assert.equal(status, 201, JSON.stringify(body));
  return body.job.id;
}

async function change({ ask }: TestDaemon, id: string, input: object): Promise<void> {
  const { status, body } = await ask('PATCH', `/jobs/${id}`, input);
  assert.equal(status, 200, JSON.stringify(body));
}

async function explain({ ask }: TestDaemon, id: string, at = ''): Promise<Explained> {
  const query = at === '' ? '' : `?at=${encodeURIComponent(at)}`;
  const { status, body } = await ask('GET', `/jobs/${id}/explanation${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function said({ facts }: Explained, kind: string): string {
  return facts.flatMap((one) => (one.kind === kind ? [one.sentence] : [])).join(' ');
}

async function runByHand({ ask }: TestDaemon, id: string): Promise<void> {
  const { status, body } = await ask('POST', `/jobs/${id}/run`);
  assert.equal(status, 202, JSON.stringify(body));
  await until('the run has ended', async () => {
    const { runs } = (await ask('GET', `/jobs/${id}/runs`)).body;
    return runs[0] !== undefined && runs[0].finishedAt !== null;
  });
}

test('an interval job that was paused and resumed was not due at the resumption', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-23T12:00:00.400Z');
  const sink = await startSink(t);
  const every = { scheduleType: 'period', periodSeconds: 86_400 };
  const id = await jobOf(daemon, { name: 'a', url: sink.url, ...every });
  clock.advance(600_000);
  await change(daemon, id, { action: 'pause' });
  await change(daemon, id, { action: 'resume' });
  clock.advance(600_000);
  const found = await explain(daemon, id);
  assert.deepEqual([found.outcome, found.dueAt], ['not_due', null], found.answer);
  assert.match(found.answer, /^It has not been due since it was resumed, at /);
});

test('a run by hand is explained until the job is due again, also after its minute', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const sink = await startSink(t, (response) => response.writeHead(500).end('no'));
  const id = await jobOf(daemon, { name: 'a', url: sink.url, ...daily });
  await runByHand(daemon, id);
  clock.advance(600_000);
  const found = await explain(daemon, id);
  assert.match(
    found.answer,
    /^A run by hand was asked for at Mon 23 Nov 2026 07:00\S* -05:00: it failed: the target answered HTTP 500\.$/,
  );
  assert.equal(said(await explain(daemon, id, '2026-11-23T12:05:00Z'), 'manual_run'), '');
  clock.advance(Date.parse('2026-11-24T07:30:00.200Z') - clock.now());
  const due = await until('the due time has its run', async () => {
    const now = await explain(daemon, id);
    return now.outcome === 'failed' && now;
  });
  assert.equal(said(due, 'manual_run'), '', 'an older run by hand is no longer the newest');
});

test('a job that runs after another one says what that did, in the zone of that', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const { url } = await startSink(t);
  const first = await jobOf(daemon, { name: 'first', url, ...daily });
  const second = await jobOf(daemon, { name: 'second', url, after: { jobId: first } });
  const third = await jobOf(daemon, { name: 'third', url, after: { jobId: second } });
  await runByHand(daemon, first);
  const [run] = await until('the second has run', async () => {
    const { runs } = (await daemon.ask('GET', `/jobs/${second}/runs`)).body;
    return runs[0]?.status === 'success' && runs;
  });
  clock.advance(600_000);
  const found = await explain(daemon, second);
  assert.match(
    said(found, 'manual_run'),
    /^A run was started after run .* 23 Nov 2026 07:00\S* -05:00/,
  );
  const obstacle = said(found, 'obstacle');
  assert.ok(obstacle.endsWith(`-05:00. It started run ${run.id} of this job.`), obstacle);
  const zoned = await explain(daemon, third, '2026-11-23 07:00');
  assert.equal(zoned.at, '2026-11-23T12:00:00.000Z', 'the first job of the chain has the zone');
  assert.match(said(zoned, 'asked'), /in America\/New_York/);
});

test('a job whose leading job is paused says so', async (t) => {
  const daemon = await startTestDaemon(t, { clock: fakeClock('2026-11-23T12:00:00Z') });
  const { url } = await startSink(t);
  const first = await jobOf(daemon, { name: 'first', url, ...daily });
  const second = await jobOf(daemon, { name: 'second', url, after: { jobId: first } });
  assert.doesNotMatch(JSON.stringify(await explain(daemon, second)), /first is paused/);
  await change(daemon, first, { action: 'pause' });
  const found = await explain(daemon, second);
  assert.equal(
    found.answer,
    'It has no due times: it runs after first succeeds. first is paused now.',
  );
  assert.match(
    said(found, 'obstacle'),
    /first is paused: until it is resumed, only its runs by hand/,
  );
});

test('a job that stopped running after another one was not due before that', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const { url } = await startSink(t);
  const first = await jobOf(daemon, { name: 'first', url, ...daily });
  const every = { scheduleType: 'period', periodSeconds: 3_600 };
  const id = await jobOf(daemon, { name: 'second', url, after: { jobId: first }, ...every });
  clock.advance(7 * 600_000);
  await change(daemon, id, { after: null });
  clock.advance(600_000);
  const found = await explain(daemon, id);
  assert.deepEqual([found.outcome, found.dueAt], ['not_due', null], found.answer);
  const before = await explain(daemon, id, '2026-11-23T13:00:00Z');
  assert.match(before.answer, /: it ran after another job until .* by key /);
});
