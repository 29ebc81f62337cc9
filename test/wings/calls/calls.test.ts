/** Many one-time jobs in a request (docs/behavior.md#once-6). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobdError } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { createCalls, type CallResult } from '../../../src/wings/calls/calls.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { each } from '../../support/each.ts';
import { fakeClock, steadyClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { addAccount } from '../../support/records/account.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../support/running/daemon.ts';
import { openStream } from '../../support/running/events.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const url = 'http://127.0.0.1:1/';
const soon = { url, inSeconds: 3_600 };
const keyed = (count: number, of: object = soon): object[] =>
  Array.from({ length: count }, (_, index) => ({ key: `order-${index}`, ...of }));

/** What became of calls that are accepted. */
async function make({ ask }: TestDaemon, calls: object[]): Promise<CallResult[]> {
  const { status, body } = await ask('POST', '/calls', { calls });
  assert.equal(status, 200, body.error);
  return body.results;
}

test('calls are jobs that are called once, when they say, and then delete themselves', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T10:00:00.500Z');
  const sink = await startSink(t);
  const results = await make(daemon, [
    { key: 'a', url: sink.url, inSeconds: 60 },
    { key: 'b', name: 'later', url, runAt: '2026-03-03 09:00', timezone: 'Europe/Paris' },
  ]);
  assert.deepEqual(each(results, 'key', 'error'), [
    ['a', null],
    ['b', null],
  ]);
  const [a, b] = await Promise.all(
    results.map(async ({ id }) => (await daemon.ask('GET', `/jobs/${id}`)).body.job),
  );
  assert.deepEqual([a.name, a.nextRunAt], ['a', '2026-03-02T10:01:00.500Z']);
  assert.deepEqual([b.name, b.nextRunAt], ['later', '2026-03-03T08:00:00.000Z']);
  assert.deepEqual([a.deleteAfterSeconds, a.makeUpSeconds], [604_800, 3_600]);
  clock.advance(60_000);
  await until('the call', () => sink.received.length === 1);
  assert.equal(sink.received[0]?.headers['x-service-scheduled-for'], a.nextRunAt);
});

test('a key makes one job, however often it is sent, until that is deleted', async (t) => {
  const { daemon, clock, ask } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const [first, twin, other] = await make(daemon, [
    { key: 'k', ...soon },
    { key: 'k', url: 'no URL' },
    { key: 'K', ...soon },
  ]);
  const known = { ...first, isNew: false };
  assert.deepEqual([first?.isNew, twin], [true, known], 'whatever else it says');
  assert.notEqual(other?.id, first?.id);
  const copy = (await ask('POST', `/jobs/${first?.id}/copy`, { name: 'copy' })).body.job;
  assert.deepEqual(await make(daemon, [{ key: 'k', ...soon }]), [known], 'a copy has no key');
  const both = await Promise.all([make(daemon, keyed(30)), make(daemon, keyed(30))]);
  const ids = both.map((results) => results.map(({ id }) => id));
  assert.deepEqual(ids[0], ids[1], 'two requests at once');
  clock.advance(86_400_000);
  await until('it is spent', async () => {
    const { job } = (await ask('GET', `/jobs/${first?.id}`)).body;
    return job.nextRunAt === null && job.status !== 'running';
  });
  assert.deepEqual(await make(daemon, [{ key: 'k', ...soon }]), [known]);
  assert.equal((await ask('GET', '/me')).body.usage.jobs, 33);
  await ask('DELETE', `/jobs/${first?.id}`);
  const [again] = await make(daemon, [{ key: 'k', ...soon }]);
  assert.ok(again?.id && again.id !== first?.id && again.id !== copy.id);
});

test('a workspace has its own keys', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'pro', 14);
  const [own] = await make(daemon, [{ key: 'k', ...soon }]);
  const { body } = await account.ask('POST', '/calls', { calls: [{ key: 'k', ...soon }] });
  assert.equal(body.results[0].error, null);
  assert.notEqual(body.results[0].id, own?.id);
});

const refusedCalls: [what: string, call: object, words: RegExp][] = [
  ['no time', { url }, /^say when to call, by either runAt or inSeconds$/],
  ['two times', { ...soon, runAt: '2026-03-02T11:00:00Z' }, /^say when to call/],
  ['a time that is over', { url, runAt: '2026-03-02T09:58:00Z' }, /^runAt must not be in the past/],
  ['no time at all', { url, runAt: 'tomorrow' }, /^runAt /],
  ['another job before it', { ...soon, after: { jobId: url } }, /^runAt and after/],
  ['a URL that may not be called', { ...soon, url: 'ftp://example.com/' }, /^url /],
  ['a secret that nobody would see', { ...soon, onResult: url }, /^onResult needs onResultSecret/],
];

test('a call that is refused says why, and the others are made', async (t) => {
  const { daemon } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const calls = refusedCalls.map(([key, call]) => ({ key, ...call }));
  const results = await make(daemon, [...calls, { key: 'good', ...soon }]);
  for (const [index, [what, , words]] of refusedCalls.entries()) {
    assert.equal(results[index]?.id, null, what);
    assert.match(results[index]?.error ?? '', words, what);
  }
  assert.equal(results.at(-1)?.error, null);
  const onResultSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const posted = { key: 'posted', ...soon, onResult: url, onResultSecret };
  assert.equal((await make(daemon, [posted]))[0]?.error, null);
  assert.equal((await daemon.ask('GET', '/me')).body.usage.jobs, 2);
});

const malformed: [what: string, input: unknown, words: RegExp][] = [
  ['nothing', {}, /^calls is required$/],
  ['no calls', { calls: [] }, /^calls must not be empty$/],
  ['too many', { calls: keyed(101) }, /^calls must have at most 100 entries, got 101$/],
  [
    'a missing field by a wrong name',
    { calls: [{ key: 'c4', ulr: 'http://127.0.0.1:1/', inSeconds: 1 }] },
    /^calls\.0\.ulr is not a known field, did you mean url\?$/,
  ],
  ['no key', { calls: [soon] }, /^calls\.0\.key is required$/],
  ['an empty key', { calls: [{ key: '', ...soon }] }, /^calls\.0\.key must /],
  [
    'a key that PostgreSQL cannot keep',
    { calls: [{ key: 'a\0', ...soon }] },
    /^calls\.0\.key must /,
  ],
  [
    'a long key',
    { calls: [{ key: 'k'.repeat(121), ...soon }] },
    /^calls\.0\.key must be at most 120/,
  ],
  [
    'another type',
    { calls: [...keyed(1), { key: 'k', url: 5 }] },
    /^calls\.1\.url must be a string/,
  ],
  ['before now', { calls: [{ key: 'k', url, inSeconds: -1 }] }, /^calls\.0\.inSeconds must be/],
  [
    'another field',
    { calls: [{ key: 'k', ...soon, at: '' }] },
    /^calls\.0\.at is not a known field, did you mean runAt\?$/,
  ],
];

test('a malformed request makes nothing', async (t) => {
  const daemon = await startTestDaemon(t);
  for (const [what, input, words] of malformed) {
    assertRefused(await daemon.ask('POST', '/calls', input), 400, words, what);
  }
  assert.equal((await daemon.ask('GET', '/me')).body.usage.jobs, 0);
});

test('a plan and the end of a trial allow what they allow for single jobs', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const account = await addAccount(daemon, clock, 'pro', 14);
  await account.setPlan('free');
  const { body } = await account.ask('POST', '/calls', { calls: keyed(30) });
  const { plan: limits, usage } = (await account.ask('GET', '/me')).body;
  assert.equal(usage.jobs, limits.jobs);
  for (const [index, { error }] of body.results.entries()) {
    if (index < limits.jobs) assert.equal(error, null);
    else assert.match(error, /^the plan free allows/);
  }
  clock.advance(15 * 86_400_000);
  const over = await account.ask('POST', '/calls', { calls: keyed(1) });
  assertRefused(over, 402, /^the trial ended at/);
});

test('ten calls count as a request; the trail has one entry, and streams hear of each job', async (t) => {
  const daemon = await startTestDaemon(t, { clock: steadyClock(fakeClock()) });
  const { ask } = daemon;
  const stream = await openStream(t, daemon);
  const answer = await ask('POST', '/calls', { calls: keyed(55) });
  assert.match(answer.headers.get('ratelimit') ?? '', /r=113;/, 'beside the stream, it counts 6');
  const ids: string[] = answer.body.results.map(({ id }: CallResult) => id);
  const heard = new Set<string>();
  while (heard.size < ids.length) {
    for (const id of (await stream.next('changed')).data.jobs) heard.add(id);
  }
  assert.deepEqual(heard, new Set(ids));
  await make(daemon, keyed(55));
  const { entries } = (await ask('GET', '/audit')).body;
  const created = entries.filter(({ action }: { action: string }) => action === 'job.create');
  assert.deepEqual(
    created.map(({ subject, count }: { subject: object; count: number }) => [subject, count]),
    [[{ id: ids[0], name: 'order-0' }, 55]],
  );
});

test('what was made before the store failed is reported as made', async (t) => {
  const { store, workspaceId } = await openTestStore(t);
  let left = 2;
  const failing: Store = {
    ...store,
    write: async (work) => {
      left -= 1;
      if (left < 0) throw new JobdError('unavailable', 'the disk is full');
      return await store.write(work);
    },
  };
  const principal = writerIn(workspaceId);
  const app = quietApp({ store: failing, clock: fakeClock(), allowTargets: loopback });
  const calls = Array.from({ length: 50 }, (_, index) => ({ key: `k${index}`, ...soon }));
  const results = await createCalls(app, principal, calls);
  assert.deepEqual(
    each(results, 'error'),
    calls.map((_, index) => (index < 40 ? null : 'the disk is full')),
  );
  left = 3;
  const again = await createCalls(app, principal, calls);
  const known = results.slice(0, 40).map((result) => ({ ...result, isNew: false }));
  assert.deepEqual(again.slice(0, 40), known);
  assert.ok(again.every(({ id }) => id !== null));
  assert.equal((await store.db.selectFrom('jobs').select('id').execute()).length, 50);
  left = 0;
  await assert.rejects(createCalls(app, principal, calls), { code: 'unavailable' });
});
