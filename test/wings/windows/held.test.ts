/** Windows that hold, as people see them (docs/behavior.md#hold-1). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const hour = 3_600_000;
const once = { name: 'tonight', effect: 'mute', durationSeconds: 7_200 };

async function daemonWith(t: TestContext, at = '2026-11-23T12:00:00Z') {
  const clock = fakeClock(at);
  const daemon = await startTestDaemon(t, { clock });
  const made = async (input: object) => {
    const { status, body } = await daemon.ask('POST', '/windows', input);
    assert.equal(status, 201, body.error);
    return body.window;
  };
  return { ...daemon, clock, made };
}

test('who runs a held job by hand is told so, and it runs', async (t) => {
  const { ask, made, url, key } = await daemonWith(t);
  const sink = await startSink(t);
  const add = async (name: string) =>
    (await ask('POST', '/jobs', { name, url: sink.url })).body.job.id;
  await add('free');
  const jobIds = [await add('held'), await add('also held')];
  await made({ ...once, effect: 'hold', jobIds });
  const run = (...of: string[]) =>
    runCommand(['jobs', 'run', ...of], { JOBD_URL: url, JOBD_API_KEY: key });
  const held = 'held by a window, which does not stop a run by hand';
  const one = await run('held', '--wait');
  assert.deepEqual([one.exitCode, one.stderr], [0, `${held}: held\n`]);
  const many = await run('--all');
  assert.equal(many.stderr, `${held}: also held, held\n`);
  assert.match(many.stdout, /^also held\tqueued\t/m);
  await until('the calls', () => sink.received.length === 3);
});

test('lists and jobd status say which jobs a window holds', async (t) => {
  const { ask, url, key, made } = await daemonWith(t);
  const job = { url: 'http://127.0.0.1:1/', paused: true };
  const add = async (name: string, more = {}) =>
    (await ask('POST', '/jobs', { ...job, name, ...more })).body.job.id;
  const chosen = await add('chosen');
  await add('labelled', { labels: { client: 'acme' } });
  const runAt = '2026-11-24T12:00:00Z';
  const single = await add('once', { labels: { client: 'acme' }, runAt, paused: false });
  await add('other');
  const held = async (more = '') => {
    const { status, body } = await ask('GET', `/overview/jobs?status=held${more}`);
    assert.equal(status, 200, body.error);
    for (const one of body.jobs) assert.ok(one.heldUntil, one.name);
    return body;
  };
  const names = async (more?: string) =>
    (await held(more)).jobs.map(({ name }: { name: string }) => name);
  assert.deepEqual(await held(), { jobs: [], nextCursor: null, isPartial: false });
  await made({ ...once, effect: 'hold', jobIds: [chosen] });
  await made({ ...once, selector: 'client=acme' });
  assert.deepEqual(await names(), ['chosen'], 'a mute holds nothing');
  await made({ ...once, effect: 'hold', selector: 'client=acme' });
  assert.deepEqual(await names(), ['labelled', 'chosen']);
  assert.equal((await ask('GET', `/jobs/${single}`)).body.job.heldUntil, undefined);
  const { jobs, nextCursor } = await held('&limit=1');
  assert.equal(jobs[0].name, 'labelled');
  assert.deepEqual(await names(`&limit=1&cursor=${nextCursor}`), ['chosen']);
  assert.deepEqual(await names('&q=chos'), ['chosen']);
  assertRefused(
    await ask('GET', '/overview/jobs?status=held&order=due'),
    400,
    /order must be newest with the status held, got due/,
  );
  const listed = await runCommand(['jobs', 'list', '--status', 'held'], {
    JOBD_URL: url,
    JOBD_API_KEY: key,
  });
  assert.match(listed.stdout, /^labelled\t.*\t2026-11-23T14:00:00.000Z\nchosen\t/);
});

test('the overview counts no one-time job among the held ones', async (t) => {
  const { ask, made } = await daemonWith(t);
  const url = 'http://127.0.0.1:1/';
  const add = async (input: object) => (await ask('POST', '/jobs', { url, ...input })).body.job.id;
  const single = await add({ name: 'once', runAt: '2026-11-24T12:00:00Z' });
  const jobIds = [single, await add({ name: 'hourly' })];
  const { id } = (await ask('POST', '/monitors', { name: 'm' })).body.monitor;
  const hold = { ...once, effect: 'hold' };
  await made({ ...hold, name: 'nothing', jobIds: [single] });
  await made({ ...hold, name: 'both', jobIds });
  await made({ ...hold, name: 'monitor', jobIds: [single], monitorIds: [id] });
  await made({ ...once, name: 'muted', jobIds });
  await made({ ...once, name: 'labelled', selector: 'nothing' });
  const { mutes, holds } = (await ask('GET', '/overview')).body.overview;
  const counts = [...mutes, ...holds].map(({ name, jobs, monitors }) => [name, jobs, monitors]);
  assert.deepEqual(counts, [
    ['muted', 2, null],
    ['labelled', null, null],
    ['both', 1, null],
    ['monitor', 0, 1],
  ]);
});

test('a hold is set, seen at its jobs, explained, and ended', async (t) => {
  const { ask, clock, made } = await daemonWith(t);
  const sink = await startSink(t);
  const input = { name: 'shop', url: sink.url, cronExpr: '0 * * * *', timezone: 'UTC' };
  const { id } = (await ask('POST', '/jobs', input)).body.job;
  const hold = { ...once, name: 'Patch night', effect: 'hold', durationSeconds: 3 * 3_600 };
  const window = await made({ ...hold, jobIds: [id] });
  const shown = async () => (await ask('GET', `/jobs/${id}`)).body.job;
  const seen = async () => (await shown()).nextRunAt;
  assert.equal(await seen(), '2026-11-23T15:00:00.000Z');
  assert.equal((await shown()).heldUntil, '2026-11-23T15:00:00.000Z');
  const explain = async (at = '') =>
    (await ask('GET', `/jobs/${id}/explanation${at === '' ? '' : `?at=${at}`}`)).body;
  const when =
    'from Mon 23 Nov 2026 12:00 +00:00 to Mon 23 Nov 2026 15:00 +00:00 by the window Patch night.';
  const toCome = await explain('2026-11-23T13:00:00Z');
  assert.match(
    toCome.answer,
    /is still to come, 1 h from now\. It is held then from .* Patch night/,
  );
  clock.advance(hour);
  await until('it to be held', async () => (await explain()).outcome === 'held');
  const { answer, facts } = await explain();
  assert.equal(answer, `It did not run at Mon 23 Nov 2026 13:00 +00:00: it is held ${when}`);
  const said = (kind: string) =>
    facts
      .filter((one: { kind: string }) => one.kind === kind)
      .map(({ sentence }: { sentence: string }) => sentence);
  assert.deepEqual(said('held'), [`It is held ${when}`]);
  assert.deepEqual(said('obstacle'), [`It is held ${when}`]);
  assert.deepEqual(
    (await ask('GET', `/ledger?jobId=${id}`)).body.jobs[0].explained.map(
      ({ reason, count }: { reason: string; count: number }) => [reason, count],
    ),
    [['held', 1]],
  );
  clock.advance(1_000);
  await ask('POST', `/windows/${window.id}/end`);
  assert.equal(await seen(), '2026-11-23T14:00:00.000Z');
  assert.match((await explain()).answer, /: it was held .* to Mon 23 Nov 2026 13:00:01 /);
  clock.advance(hour - 1_000);
  await until('the call', () => sink.received.length === 1);
});
