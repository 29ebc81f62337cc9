/** Why a job ran, did not run or ran late, over the API: facts of a real history. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLog } from '../../../src/base/log.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { testServer } from '../../support/postgres/database.ts';
import { addAccount } from '../../support/records/account.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const refusing = 'http://127.0.0.1:1/';
const nightly = {
  name: 'backup',
  url: refusing,
  cronExpr: '30 2 * * *',
  timezone: 'Europe/Paris',
};

interface Explained {
  outcome: string;
  answer: string;
  dueAt: string | null;
  runId: string | null;
  facts: { kind: string; sentence: string; isKnown: boolean; runId?: string }[];
}

async function explain(
  { ask }: Pick<TestDaemon, 'ask'>,
  id: string,
  at?: string,
  key?: string,
): Promise<Explained> {
  const query = at === undefined ? '' : `?at=${encodeURIComponent(at)}`;
  const { status, body } = await ask('GET', `/jobs/${id}/explanation${query}`, undefined, key);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function sentencesOf({ facts }: Explained, kind: string): string {
  return facts
    .filter((fact) => fact.kind === kind)
    .map(({ sentence }) => sentence)
    .join(' ');
}

async function jobOf({ ask }: Pick<TestDaemon, 'ask'>, input: object): Promise<string> {
  const { status, body } = await ask('POST', '/jobs', { ...nightly, ...input });
  assert.equal(status, 201, JSON.stringify(body));
  return body.job.id;
}

async function whenRan({ ask }: TestDaemon, id: string): Promise<void> {
  await until('the run has ended', async () => {
    const { job } = (await ask('GET', `/jobs/${id}`)).body;
    return job.status === 'up' || job.status === 'down';
  });
}

test('a run that failed is explained with its attempts, its error and its alert', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const hook = await startSink(t);
  const config = { url: hook.url };
  await daemon.ask('POST', '/channels', { name: 'ops', type: 'slack', config });
  const sink = await startSink(t, (response) => response.writeHead(503).end('no'));
  const id = await jobOf(daemon, { url: sink.url });
  clock.advance(Date.parse('2026-11-24T01:30:00.200Z') - clock.now());
  await whenRan(daemon, id);
  await until('the alert', () => hook.received.length === 1);
  const found = await until('its delivery is recorded', async () => {
    const now = await explain(daemon, id, '02:30');
    return sentencesOf(now, 'alert').includes('was delivered') && now;
  });
  assert.equal(found.outcome, 'failed');
  assert.equal(found.dueAt, '2026-11-24T01:30:00.000Z');
  assert.equal(
    found.answer,
    'It ran at Tue 24 Nov 2026 02:30 +01:00, and it failed: the target answered HTTP 503.',
  );
  assert.match(
    sentencesOf(found, 'alert'),
    /^It has been down since Tue 24 Nov 2026 02:30:00 \+01:00\. An alert for channel ops was made at .*backup is down/,
  );
  assert.match(sentencesOf(found, 'attempts'), /the job has no retries now/);
  assert.match(
    sentencesOf(found, 'asked'),
    /^02:30 in Europe\/Paris is taken as Tue 24 Nov 2026 02:30 \+01:00/,
  );
  assert.match(sentencesOf(found, 'target'), /may be called/);
  assert.equal((await explain(daemon, id)).answer, found.answer, 'the newest due time');
  const { body } = await daemon.ask('GET', `/jobs/${id}/explanation?runId=${found.runId}`);
  assert.equal(body.answer, found.answer, 'the run itself');
  assert.match(
    body.todo,
    /^Look at the target's log at Tue .* Set retries to get over short outages\. If the call is still needed, replay the run\.$/,
  );
  assert.equal(body.command, `jobd runs replay 'backup' ${found.runId}`);
  await daemon.ask('PATCH', `/jobs/${id}`, { retries: 2 });
  const retried = (await daemon.ask('GET', `/jobs/${id}/explanation`)).body;
  assert.match(retried.todo, /^Look at [^.]* \+01:00\. If the call is still needed, replay/);
});

test('of a job that was not due yet, the run by hand that failed is explained', async (t) => {
  const { daemon } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const sink = await startSink(t, (response) => response.writeHead(503).end());
  const id = await jobOf(daemon, { url: sink.url });
  assert.match((await explain(daemon, id)).answer, /^It has not been due yet/);
  await daemon.ask('POST', `/jobs/${id}/run`);
  await whenRan(daemon, id);
  const { body } = await daemon.ask('GET', `/jobs/${id}/explanation`);
  assert.match(body.answer, /^A run by hand was asked for at .*: it failed: .* HTTP 503\.$/);
  assert.match(
    body.todo,
    /^Look at the target's log at .* Set retries to get over short outages\.$/,
  );
});

test('a paused job says since when, and by whom only to those who may read the trail', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const id = await jobOf(daemon, {});
  await daemon.ask('PATCH', `/jobs/${id}`, { action: 'pause' });
  const now = await explain(daemon, id);
  assert.match(
    now.facts.find(({ kind }) => kind === 'obstacle')?.sentence ?? '',
    /^The job is paused: .* It was paused at Mon 23 Nov 2026 13:00 \+01:00 by key /,
  );
  clock.advance(86_400_000);
  await daemon.ask('PATCH', `/jobs/${id}`, { action: 'resume' });
  clock.advance(60_000);
  const at = '2026-11-24 02:30';
  const found = await explain(daemon, id, at);
  assert.equal(found.outcome, 'paused');
  assert.match(
    found.answer,
    /^It did not run at Tue 24 Nov 2026 02:30 \+01:00: it was paused, since Mon 23 Nov 2026 13:00 \+01:00 by key /,
  );
  const seen = await explain(daemon, id, at, await daemon.newKey('read'));
  assert.match(seen.answer, /it was paused, since Mon 23 Nov 2026 13:00 \+01:00\.$/);
  assert.ok(seen.facts.every(({ sentence }) => !/ by key/.test(sentence)));
});

test('due times in a downtime are missed, each of them with the reason', async (t) => {
  const clock = fakeClock('2026-11-23T12:00:00Z');
  const dataDir = temporaryDirectory(t);
  const log = openLog('silent');
  let id = '';
  await t.test('before', async (inner) => {
    id = await jobOf(await startTestDaemon(inner, { clock, dataDir, log }), {
      cronExpr: '30 * * * *',
      makeUpSeconds: 3_600,
    });
  });
  clock.advance(5 * 3_600_000);
  const daemon = await startTestDaemon(t, { clock, dataDir, log });
  const found = await until('it is recorded', async () => {
    const now = await explain(daemon, id, '15:30');
    return now.outcome === 'missed' && now;
  });
  // Nodes of a server go by its clock, which is not this one.
  const times =
    testServer === undefined
      ? ' from Mon 23 Nov 2026 13:00 +01:00 to Mon 23 Nov 2026 18:00 +01:00'
      : '';
  assert.equal(
    found.answer,
    `It did not run at Mon 23 Nov 2026 15:30 +01:00: it was missed, because jobd was not running${times}.`,
  );
  const { body: abroad } = await daemon.ask(
    'GET',
    `/jobs/${id}/explanation?at=20:00&timezone=asia/kolkata`,
  );
  assert.match(abroad.answer, /^It did not run at Mon 23 Nov 2026 20:00 \+05:30: /);
  const unknown = await daemon.ask('GET', `/jobs/${id}/explanation?timezone=Paris`);
  assertRefused(unknown, 400, /^timezone must be an IANA name/);
  assert.match(
    sentencesOf(found, 'run'),
    /^The run was missed: \d due times from Mon 23 Nov 2026 13:30 \+01:00 to Mon/,
  );
  const made = await until('it is made up for', async () => {
    const now = await explain(daemon, id, '15:30');
    return sentencesOf(now, 'made_up').includes('failed') && now;
  });
  assert.match(
    sentencesOf(made, 'made_up'),
    /^It was made up for at Mon 23 Nov 2026 18:00 \+01:00, in run \S+: it failed: /,
  );
  const { runId } = made.facts.find(({ kind }) => kind === 'made_up') ?? assert.fail();
  const { body: own } = await daemon.ask('GET', `/jobs/${id}/explanation?runId=${runId}`);
  assert.match(own.answer, /^A run began to wait that makes up for the missed run .*: it failed: /);
  assert.match(sentencesOf(own, 'due'), /It stands for the due time Mon 23 Nov 2026 17:30 \+01:00/);
});

test('a missed run says why the one that waited to make up for it was dropped', async (t) => {
  const clock = fakeClock('2026-11-23T12:00:00Z');
  const dataDir = temporaryDirectory(t);
  const log = openLog('silent');
  const sink = await startHeldSink(t);
  const ids = new Map<string | undefined, string>();
  await t.test('before', async (inner) => {
    const daemon = await startTestDaemon(inner, { clock, dataDir, log });
    for (const path of ['/a', '/b']) {
      const input = { cronExpr: '30 * * * *', makeUpSeconds: 3_600, url: `${sink.url}${path}` };
      ids.set(path, await jobOf(daemon, input));
    }
  });
  clock.advance(5 * 3_600_000);
  const flags = { slots: '1', slotsPerHost: '1' };
  const daemon = await startTestDaemon(t, { clock, dataDir, log, flags });
  await sink.waitFor(1);
  const id = ids.get(sink.received[0]?.path === '/a' ? '/b' : '/a') ?? '';
  await daemon.ask('PATCH', `/jobs/${id}`, { action: 'pause' });
  assert.equal(
    sentencesOf(await explain(daemon, id, '15:30'), 'made_up'),
    'The run that was to make up for it was dropped: the job was paused.',
  );
  sink.release();
});

test('a job that was made later, that is not due and that is still to come says so', async (t) => {
  const { daemon } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const id = await jobOf(daemon, {});
  const before = await explain(daemon, id, '2026-11-20 02:30');
  assert.equal(before.outcome, 'not_created');
  const between = await explain(daemon, id, '2026-11-24T12:00:00Z');
  assert.equal(between.outcome, 'not_due');
  assert.match(sentencesOf(between, 'due'), /before is Tue 24 Nov 2026 02:30 .*after is Wed/);
  assert.equal((await explain(daemon, id, '2026-11-25 02:30')).outcome, 'to_come');
  assert.equal((await explain(daemon, id)).outcome, 'not_due');
});

test('a job of an expired account was not called, and says when it expired', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-01T12:00:00Z');
  const account = await addAccount(daemon, clock, 'pro', 14);
  const { job } = (await account.ask('POST', '/jobs', nightly)).body;
  clock.advance(20 * 86_400_000);
  const found = await explain(account, job.id, '2026-11-20 02:30');
  assert.equal(found.outcome, 'expired');
  assert.match(sentencesOf(found, 'obstacle'), /The account has expired/);
});

test('an address that the rule refuses now is said, and nothing is sent to it', async (t) => {
  const clock = fakeClock('2026-11-23T12:00:00Z');
  const dataDir = temporaryDirectory(t);
  const sink = await startSink(t);
  let id = '';
  await t.test('while it is allowed', async (inner) => {
    const daemon = await startTestDaemon(inner, { clock, dataDir });
    id = await jobOf(daemon, { url: sink.url });
    assert.match(sentencesOf(await explain(daemon, id), 'target'), /may be called/);
  });
  const daemon = await startTestDaemon(t, { clock, dataDir, flags: { allowTarget: [] } });
  const found = await explain(daemon, id);
  assert.match(sentencesOf(found, 'target'), /may not be called now: .*127\.0\.0\.1/);
  assert.equal(sink.received.length, 0);
});

test('a time that cannot be read is refused with what was given', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const { job } = (await ask('POST', '/jobs', nightly)).body;
  for (const at of ['', 'yesterday', '2026-02-30 02:30', '25:00', '9999-01-01T00:00:00Z']) {
    const query = encodeURIComponent(at);
    const answer = await ask('GET', `/jobs/${job.id}/explanation?at=${query}`);
    assertRefused(answer, 400, /^at must be /, at);
  }
});
