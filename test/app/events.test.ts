/** The hub of events: gathering, rests, bounds, and who hears what. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  createEvents,
  gatherMs,
  mostStreamsOfActor,
  mostStreamsOfSessions,
  restMs,
} from '../../src/app/events.ts';
import type { Events, StreamEvent } from '../../src/app/events.ts';
import type { AuditAction, AuditEntry } from '../../src/domain/accounts/audit.ts';
import { mostChangedIds } from '../../src/domain/changes.ts';
import { fakeClock } from '../support/fakes/clock.ts';

const clock = fakeClock('2026-03-02T10:00:00Z');
const nothing = { jobs: [], runs: [], monitors: [], channels: [] };

/** The jobs that each event names. */
function ids(heard: readonly StreamEvent[]): string[] {
  return heard.map(({ event, data }) => (event === 'changed' ? data.jobs.join() : event));
}

/** A hub whose time passes by `tick`. */
function setup(t: TestContext, mostStreams = 256) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hub = createEvents({ clock, version: '1.2.3', mostStreams });
  return { hub, tick: (ms: number) => t.mock.timers.tick(ms) };
}

function listen(hub: Events, workspaceId = 'w', id = 'k', keyId: string | null = null) {
  const heard: StreamEvent[] = [];
  const actor = { type: 'key', id, name: '' } as const;
  const stream = hub.open({ actor, keyId, workspaceId }, (event) => void heard.push(event));
  return { heard, stream };
}

function entry(action: AuditAction, id: string, workspaceId = 'w'): AuditEntry {
  const actor = { type: 'key', id: 'k', name: '' } as const;
  const who = { actor, address: null, forwardedFor: null };
  return { workspaceId, at: 0, ...who, action, subject: { id, name: '' }, fields: [] };
}

test('a stream begins with its workspace, the version and the time', (t) => {
  const { hub } = setup(t);
  assert.deepEqual(listen(hub).stream.hello, {
    event: 'hello',
    data: { workspaceId: 'w', version: '1.2.3', at: '2026-03-02T10:00:00.000Z' },
  });
});

test('what changes within a moment is one event, with each id once and the last status of a run', (t) => {
  const { hub, tick } = setup(t);
  const { heard } = listen(hub);
  const run = { id: 'r', jobId: 'j' };
  hub.publish('w', { runs: [{ ...run, status: 'running' }], jobs: ['j'] });
  hub.publish('w', { monitors: ['m'], jobs: ['j', 'i'] });
  hub.publish('w', { runs: [{ ...run, status: 'success' }], channels: ['c'] });
  hub.publish('w', { runs: [{ ...run, status: 'queued' }] });
  assert.deepEqual(heard, []);
  tick(gatherMs);
  const runs = [{ ...run, status: 'success' }];
  const data = { jobs: ['j', 'i'], runs, monitors: ['m'], channels: ['c'] };
  assert.deepEqual(heard, [{ event: 'changed', data }]);
});

test('a workspace has at most one event in 500 ms, and another workspace does not wait for it', (t) => {
  const { hub, tick } = setup(t);
  const mine = listen(hub);
  const theirs = listen(hub, 'v', 'l');
  hub.publish('w', { jobs: ['1'] });
  tick(gatherMs);
  for (let change = 2; change <= 100; change += 1) {
    hub.publish('w', { jobs: [String(change)] });
    tick(10);
  }
  assert.equal(mine.heard.length, 2, 'in 990 ms after the first one');
  hub.publish('v', { jobs: ['other'] });
  tick(gatherMs);
  assert.deepEqual(ids(theirs.heard), ['other']);
  tick(restMs);
  const all = ids(mine.heard).join().split(',');
  assert.deepEqual(
    all,
    Array.from({ length: 100 }, (_, index) => String(index + 1)),
    'nothing is lost or said twice',
  );
  tick(10 * restMs);
  assert.equal(mine.heard.length, 3, 'nothing is said of nothing');
  hub.publish('w', { jobs: ['after a rest'] });
  tick(gatherMs);
  assert.equal(ids(mine.heard)[3], 'after a rest');
});

test('200 ids are named; one more, and the event says to ask for everything', (t) => {
  const { hub, tick } = setup(t);
  const { heard } = listen(hub);
  const many = Array.from({ length: mostChangedIds }, (_, index) => `j${index}`);
  hub.publish('w', { jobs: many });
  hub.publish('w', { jobs: many });
  tick(gatherMs);
  assert.deepEqual(heard, [{ event: 'changed', data: { ...nothing, jobs: many } }]);
  hub.publish('w', { jobs: many });
  hub.publish('w', { monitors: ['m'] });
  hub.publish('w', { monitors: ['n'] });
  tick(restMs);
  assert.deepEqual(heard[1], { event: 'resync', data: {} });
  hub.publish('w', { jobs: ['j'] });
  tick(restMs);
  assert.deepEqual(heard[2], { event: 'changed', data: { ...nothing, jobs: ['j'] } });
});

test('nobody hears of another workspace', (t) => {
  const { hub, tick } = setup(t);
  const mine = listen(hub);
  const theirs = listen(hub, 'v', 'l');
  hub.publish('v', { jobs: ['theirs'] });
  hub.audited([entry('monitor.update', 'theirs', 'v'), entry('key.revoke', 'another', 'v')]);
  tick(10 * restMs);
  assert.deepEqual(mine.heard, []);
  assert.equal(theirs.heard.length, 1);
  hub.publishAll();
  tick(restMs);
  assert.deepEqual(mine.heard, [{ event: 'resync', data: {} }]);
  assert.deepEqual(theirs.heard[1], { event: 'resync', data: {} });
});

test('the audit trail says which jobs, monitors and channels changed', (t) => {
  const { hub, tick } = setup(t);
  const { heard } = listen(hub);
  hub.audited([
    entry('job.create', 'j'),
    entry('monitor.pause', 'm'),
    entry('channel.test', 'c'),
    entry('key.create', 'not shown'),
  ]);
  tick(gatherMs);
  const data = { jobs: ['j'], runs: [], monitors: ['m'], channels: ['c'] };
  assert.deepEqual(heard, [{ event: 'changed', data }]);
});

test('a revoked key and an ended session lose their streams at once, others keep theirs', (t) => {
  const { hub, tick } = setup(t);
  const [revoked, signedOut, other] = [
    listen(hub, 'w', 'key'),
    listen(hub, 'w', 'session'),
    listen(hub, 'w', 'other'),
  ];
  const again = listen(hub, 'w', 'key');
  hub.audited([entry('key.revoke', 'key'), entry('session.end', 'session')]);
  const end = [{ event: 'end', data: { reason: 'revoked' } }];
  assert.deepEqual(revoked.heard, end);
  assert.deepEqual(again.heard, end);
  assert.deepEqual(signedOut.heard, [{ event: 'end', data: { reason: 'signed out' } }]);
  revoked.stream.end('unauthenticated');
  hub.endStreamsOf('key', 'revoked');
  hub.publish('w', { jobs: ['j'] });
  tick(gatherMs);
  assert.equal(revoked.heard.length, 1, 'nothing follows the end');
  assert.deepEqual(other.heard, [{ event: 'changed', data: { ...nothing, jobs: ['j'] } }]);
  assert.equal(hub.size, 1);
});

test('a key has 8 streams, and a workspace as many as it leaves free', (t) => {
  const { hub } = setup(t, 100);
  const own = Array.from({ length: mostStreamsOfActor }, () => listen(hub));
  assert.throws(() => listen(hub), { code: 'rate_limited', message: /8 event streams/ });
  own[0]?.stream[Symbol.dispose]();
  listen(hub);
  for (let key = 0; hub.size < 50; key += 1) listen(hub, 'w', `k${key}`);
  assert.throws(() => listen(hub, 'w', 'new'), { code: 'unavailable', message: /too many/ });
  for (let key = 0; key < 25; key += 1) listen(hub, 'v', `l${key}`);
  assert.throws(() => listen(hub, 'v', 'new'), { code: 'unavailable' });
  listen(hub, 'u', 'new');
  assert.equal(hub.size, 76);
});

test('the sessions of a key have 16 streams together, apart from the key and from links', (t) => {
  const { hub } = setup(t);
  for (let count = 0; count < mostStreamsOfActor; count += 1) listen(hub, 'w', 'first', 'k');
  const eight = { code: 'rate_limited', message: /8 event streams/ };
  assert.throws(() => listen(hub, 'w', 'first', 'k'), eight);
  const { stream } = listen(hub, 'w', 'second', 'k');
  while (hub.size < mostStreamsOfSessions) listen(hub, 'w', `s${hub.size}`, 'k');
  const sixteen = {
    code: 'rate_limited',
    message: /^the sessions of a key together may have 16 event streams open/,
  };
  assert.throws(() => listen(hub, 'w', 'last', 'k'), sixteen);
  listen(hub, 'w', 'k');
  listen(hub, 'w', 'of a link');
  listen(hub, 'w', 'another', 'l');
  stream[Symbol.dispose]();
  listen(hub, 'w', 'last', 'k');
  assert.throws(() => listen(hub, 'w', 'one more', 'k'), sixteen);
});

test('without streams nothing is kept, and disposing of them lets go of all', (t) => {
  const { hub, tick } = setup(t);
  assert.equal(hub.isHeard, false);
  hub.publish('w', { jobs: ['before'] });
  hub.publishAll();
  const { heard, stream } = listen(hub);
  assert.equal(hub.isHeard, true);
  tick(10 * restMs);
  assert.deepEqual(heard, []);
  hub.publish('w', { jobs: ['gone'] });
  stream[Symbol.dispose]();
  stream.end('unauthenticated');
  tick(10 * restMs);
  assert.deepEqual(heard, []);
  assert.equal(hub.isHeard, false);
});

test('closing ends all streams and admits no other', (t) => {
  const { hub, tick } = setup(t);
  const { heard } = listen(hub);
  hub.publish('w', { jobs: ['j'] });
  hub.close();
  hub.close();
  tick(10 * restMs);
  assert.deepEqual(heard, [{ event: 'end', data: { reason: 'unavailable' } }]);
  assert.throws(() => listen(hub), { code: 'unavailable', message: 'jobd is stopping' });
});
