/**
 * The full permission matrix (docs/behavior.md#keys): every operation, with every kind of key and session, on
 * every kind of id. `expectedStatus` is the rule that the table is generated from.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { assertRefused } from '../support/checks/answer.ts';
import { fakeClock, steadyClock } from '../support/fakes/clock.ts';
import { newCode, signIn } from '../support/running/browser.ts';
import type { SignedIn } from '../support/running/browser.ts';
import { startTestDaemon } from '../support/running/daemon.ts';
import { openStream } from '../support/running/events.ts';
import { defaultWorkspaceId, revokedKey } from '../support/records/keys.ts';
import { fillWorkspace, openSnapshots, untilQuiet } from '../support/records/two-workspaces.ts';
import type { Holding } from '../support/records/two-workspaces.ts';
import { addWorkspace } from '../support/records/workspace.ts';

const readKeys = ["a's read key", "b's read key", "a's read session"] as const;
const writeKeys = ["a's write key", "b's write key", "a's write session"] as const;
const owners = ["a's owner session", "b's owner session"] as const;
const badKeys = [
  'no key',
  'a malformed key',
  'an unknown key',
  'a revoked key',
  'an ended session',
] as const;
const keyKinds = [...badKeys, ...readKeys, ...writeKeys, ...owners];
type KeyKind = (typeof keyKinds)[number];

/** Ids in a path: of workspace a, of workspace b, or unknown. */
const idKinds = ['of a', 'of b', 'unknown', 'no UUID', 'of a, in upper case'] as const;
type IdKind = (typeof idKinds)[number];
const runKinds = [...idKinds, "of a's other job"] as const;
type RunKind = (typeof runKinds)[number];

interface Operation {
  name: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** The status for a permitted key and existing ids. */
  ok: number;
  /** A function for one that depends on the ids, or differs each time. */
  body?: object | ((a: Holding, b: Holding) => object);
  /** Needs no key. */
  isOpen?: true;
  /** Needs write permission, although it is a GET. */
  isWrite?: true;
  /** Changes no job, monitor or channel, although it is not a GET. */
  isRead?: true;
  /** A stream: its first event is the answer. */
  isEndless?: true;
  /** Who besides a bad key is refused, with 403. */
  only?: 'sessions' | 'owners';
}

const newJob = { name: 'new', url: 'http://127.0.0.1:1/', paused: true };
const newChannel = {
  name: 'new',
  type: 'slack',
  config: { url: 'http://127.0.0.1:1/new' },
  enabled: false,
};
/** A delivery in a path is also called `:runId`: a child of the first id. */
const operations: readonly Operation[] = [
  { name: 'listJobs', method: 'GET', path: '/jobs', ok: 200 },
  { name: 'createJob', method: 'POST', path: '/jobs', ok: 201, body: newJob },
  { name: 'getJob', method: 'GET', path: '/jobs/:id', ok: 200 },
  { name: 'updateJob', method: 'PATCH', path: '/jobs/:id', ok: 200, body: { retries: 1 } },
  { name: 'deleteJob', method: 'DELETE', path: '/jobs/:id', ok: 200 },
  { name: 'runJob', method: 'POST', path: '/jobs/:id/run', ok: 202 },
  { name: 'listRuns', method: 'GET', path: '/jobs/:id/runs', ok: 200 },
  { name: 'getRun', method: 'GET', path: '/jobs/:id/runs/:runId', ok: 200 },
  // No run of these jobs waits for a report.
  {
    name: 'completeRun',
    method: 'POST',
    path: '/jobs/:id/runs/:runId/completion',
    ok: 409,
    body: { status: 'success' },
  },
  { name: 'listHistory', method: 'GET', path: '/jobs/:id/history', ok: 200 },
  { name: 'getDays', method: 'GET', path: '/jobs/:id/days', ok: 200 },
  { name: 'getJobChain', method: 'GET', path: '/jobs/:id/chain', ok: 200 },
  { name: 'listCallbacks', method: 'GET', path: '/jobs/:id/callbacks', ok: 200 },
  { name: 'getDueTimes', method: 'GET', path: '/jobs/:id/due-times', ok: 200 },
  { name: 'explainJob', method: 'GET', path: '/jobs/:id/explanation', ok: 200 },
  { name: 'copyJob', method: 'POST', path: '/jobs/:id/copy', ok: 201, body: { name: 'copy' } },
  {
    name: 'actOnJobs',
    method: 'POST',
    path: '/jobs/actions',
    ok: 200,
    body: (a, b) => ({ action: 'delete', ids: [a.jobId, b.jobId] }),
  },
  {
    name: 'readCommand',
    method: 'POST',
    path: '/jobs/read-command',
    ok: 200,
    body: { text: 'curl https://example.com' },
    isRead: true,
  },
  // The target refused the connection, so there is no answer that a receipt could attest.
  { name: 'getReceipt', method: 'GET', path: '/jobs/:id/runs/:runId/receipt', ok: 409 },
  { name: 'listManagedJobs', method: 'GET', path: '/managed-jobs', ok: 200 },
  {
    name: 'applyJobDefinitions',
    method: 'POST',
    path: '/managed-jobs',
    ok: 200,
    body: () => ({ definitions: [{ key: `new-${randomUUID()}`, job: newJob }] }),
  },
  { name: 'listManagedMonitors', method: 'GET', path: '/managed-monitors', ok: 200 },
  {
    name: 'applyMonitorDefinitions',
    method: 'POST',
    path: '/managed-monitors',
    ok: 200,
    body: () => ({ definitions: [{ key: `new-${randomUUID()}`, monitor: { name: 'new' } }] }),
  },
  { name: 'listManagedChannels', method: 'GET', path: '/managed-channels?show=all', ok: 200 },
  {
    name: 'applyChannelDefinitions',
    method: 'POST',
    path: '/managed-channels',
    ok: 200,
    body: () => ({
      definitions: [{ key: `new-${randomUUID()}`, channel: newChannel }],
    }),
  },
  { name: 'listAudit', method: 'GET', path: '/audit', ok: 200, isWrite: true },
  { name: 'listMonitors', method: 'GET', path: '/monitors', ok: 200 },
  { name: 'createMonitor', method: 'POST', path: '/monitors', ok: 201, body: { name: 'new' } },
  { name: 'getMonitor', method: 'GET', path: '/monitors/:id', ok: 200 },
  {
    name: 'updateMonitor',
    method: 'PATCH',
    path: '/monitors/:id',
    ok: 200,
    body: { graceSeconds: 1 },
  },
  { name: 'deleteMonitor', method: 'DELETE', path: '/monitors/:id', ok: 200 },
  { name: 'listPings', method: 'GET', path: '/monitors/:id/pings', ok: 200 },
  { name: 'listLedger', method: 'GET', path: '/ledger', ok: 200 },
  { name: 'getOverview', method: 'GET', path: '/overview', ok: 200 },
  { name: 'listOverviewJobs', method: 'GET', path: '/overview/jobs', ok: 200 },
  { name: 'listOverviewJobs by name', method: 'GET', path: '/overview/jobs?order=name', ok: 200 },
  { name: 'listOverviewJobs due', method: 'GET', path: '/overview/jobs?order=due', ok: 200 },
  { name: 'getOverviewJob', method: 'GET', path: '/overview/jobs/:id', ok: 200 },
  { name: 'listOverviewMonitors', method: 'GET', path: '/overview/monitors', ok: 200 },
  { name: 'listAllRuns', method: 'GET', path: '/runs', ok: 200 },
  { name: 'listChannels', method: 'GET', path: '/channels', ok: 200 },
  { name: 'createChannel', method: 'POST', path: '/channels', ok: 201, body: newChannel },
  { name: 'getChannel', method: 'GET', path: '/channels/:id', ok: 200 },
  {
    name: 'updateChannel',
    method: 'PATCH',
    path: '/channels/:id',
    ok: 200,
    body: { afterFailures: 7 },
  },
  { name: 'deleteChannel', method: 'DELETE', path: '/channels/:id', ok: 200 },
  { name: 'testChannel', method: 'POST', path: '/channels/:id/test', ok: 202 },
  { name: 'listDeliveries', method: 'GET', path: '/channels/:id/deliveries', ok: 200 },
  { name: 'getDelivery', method: 'GET', path: '/channels/:id/deliveries/:runId', ok: 200 },
  { name: 'listAllDeliveries', method: 'GET', path: '/deliveries', ok: 200 },
  { name: 'getReceiptKey', method: 'GET', path: '/receipts/key', ok: 200, isOpen: true },
  { name: 'listReceiptKeys', method: 'GET', path: '/receipts/keys', ok: 200, isOpen: true },
  {
    name: 'previewSchedule',
    method: 'POST',
    path: '/schedule/preview',
    ok: 200,
    body: {},
    isRead: true,
  },
  { name: 'getEvents', method: 'GET', path: '/events', ok: 200, isEndless: true },
  { name: 'getMe', method: 'GET', path: '/me', ok: 200 },
  { name: 'getSession', method: 'GET', path: '/session', ok: 200, only: 'sessions' },
  {
    name: 'moveSession',
    method: 'PATCH',
    path: '/session',
    ok: 404,
    body: { workspaceId: '01a1fc58-a505-7000-bebc-059153f75def' },
    only: 'owners',
  },
  { name: 'listSessions', method: 'GET', path: '/sessions', ok: 200 },
  {
    name: 'endSession',
    method: 'DELETE',
    path: '/sessions/01a1fc58-a505-7000-bebc-059153f75def',
    ok: 404,
  },
  { name: 'listKeys', method: 'GET', path: '/keys', ok: 200, only: 'owners' },
  {
    name: 'createKey',
    method: 'POST',
    path: '/keys',
    ok: 201,
    body: { name: 'new', permission: 'read' },
    isRead: true,
    only: 'owners',
  },
  {
    name: 'revokeKey',
    method: 'DELETE',
    path: '/keys/01a1fc58-a505-7000-bebc-059153f75def',
    ok: 404,
    only: 'owners',
  },
  { name: 'getAbout', method: 'GET', path: '/about', ok: 200, only: 'owners' },
];

interface Cell {
  operation: Operation;
  key: KeyKind;
  /** Undefined if the path has none. */
  id: IdKind | undefined;
  runId: RunKind | undefined;
}

function cells(): Cell[] {
  return operations.flatMap((operation) =>
    keyKinds.flatMap((key) => {
      // What an id names does not depend on how somebody is signed in.
      const few = key.endsWith('session') ? 2 : Infinity;
      const ids = operation.path.includes(':id') ? idKinds.slice(0, few) : [undefined];
      const runIds = operation.path.includes(':runId') ? runKinds.slice(0, few) : [undefined];
      return ids.flatMap((id) => runIds.map((runId) => ({ operation, key, id, runId })));
    }),
  );
}

/** The order of checks: the key, its permission, then whether the id exists in this workspace. */
function expectedStatus({ operation, key, id, runId }: Cell): number {
  if (operation.isOpen) return operation.ok;
  if (includes(badKeys, key)) return 401;
  const needsWrite = operation.method !== 'GET' || operation.isWrite === true;
  if (needsWrite && includes(readKeys, key)) return 403;
  if (operation.only === 'owners' && !includes(owners, key)) return 403;
  if (operation.only === 'sessions' && !key.endsWith('session')) return 403;
  const workspace = workspaceOf(key);
  const [named, run] = [id, runId].map((kind) => kind?.replace(', in upper case', ''));
  if (named !== undefined && named !== `of ${workspace}`) return 404;
  if (run !== undefined && run !== named) return 404;
  return operation.ok;
}

function includes(kinds: readonly KeyKind[], key: KeyKind): boolean {
  return kinds.includes(key);
}

function workspaceOf(key: KeyKind): 'a' | 'b' {
  return key.startsWith('b') ? 'b' : 'a';
}

const marks = { a: 'mark-of-alpha', b: 'mark-of-beta' };
const unknownId = '01a1fc58-a505-7000-bebc-059153f75def';

function pathOf({ operation, id, runId }: Cell, a: Holding, b: Holding): string {
  const isOfChannel = operation.path.startsWith('/channels');
  const ofMonitorOrJob = operation.path.startsWith('/monitors') ? 'monitorId' : 'jobId';
  const part = isOfChannel ? 'channelId' : ofMonitorOrJob;
  const [inner, sibling] = isOfChannel
    ? (['deliveryId', 'siblingDeliveryId'] as const)
    : (['runId', 'siblingRunId'] as const);
  const ids: Record<IdKind, string> = {
    'of a': a[part],
    'of b': b[part],
    unknown: unknownId,
    'no UUID': '17',
    'of a, in upper case': a[part].toUpperCase(),
  };
  const runIds: Record<RunKind, string> = {
    'of a': a[inner],
    'of b': b[inner],
    unknown: unknownId,
    'no UUID': '17',
    'of a, in upper case': a[inner].toUpperCase(),
    "of a's other job": a[sibling],
  };
  const named = id === undefined ? '' : ids[id];
  return operation.path.replace(':id', named).replace(':runId', runId ? runIds[runId] : '');
}

/** Opens a stream and closes it. Its first event says which workspace it is of. */
async function firstEvent(t: TestContext, of: Parameters<typeof openStream>[1]) {
  const stream = await openStream(t, of);
  stream.close();
  const [body] = stream.events;
  return { status: 200, headers: new Headers(), body };
}

test('each key can do what its permission and workspace allow, and changes or reads nothing else', async (t) => {
  // The clock advances a minute before each request to stay below the rate limits. Every job is
  // paused, so nothing falls due.
  const clock = fakeClock();
  const daemon = await startTestDaemon(t, { clock: steadyClock(clock) });
  const target = 'http://127.0.0.1:1';
  const other = await addWorkspace(daemon.dataDir);
  const keys: Partial<Record<KeyKind, string | null>> = {
    'no key': null,
    'a malformed key': 'cp_123',
    'an unknown key': `cp_${'0'.repeat(64)}`,
    'a revoked key': await revokedKey(daemon),
    "a's read key": await daemon.newKey('read'),
    "b's read key": await other.newKey('read'),
    "a's write key": daemon.key,
    "b's write key": await other.newKey('write'),
  };
  const ended = await signIn(daemon.url, { key: daemon.key });
  assert.equal((await ended.ask('DELETE', '/session')).status, 200);
  const codes = [
    await newCode(daemon.dataDir, { clock }),
    await newCode(daemon.dataDir, { clock, workspace: other.account }),
  ];
  const sessions: Partial<Record<KeyKind, SignedIn>> = {
    'an ended session': ended,
    "a's read session": await signIn(daemon.url, { key: keys["a's read key"] ?? '' }),
    "a's write session": await signIn(daemon.url, { key: daemon.key }),
    "a's owner session": await signIn(daemon.url, { code: codes[0] ?? '' }),
    "b's owner session": await signIn(daemon.url, { code: codes[1] ?? '' }),
  };
  const ids = { a: await defaultWorkspaceId(daemon), b: other.id };
  await using store = await openSnapshots(daemon.dataDir);
  const snapshots = async () => ({
    a: await store.snapshot(ids.a),
    b: await store.snapshot(ids.b),
  });

  const fill = async (workspace: 'a' | 'b'): Promise<Holding> => {
    const key = keys[`${workspace}'s write key`] ?? '';
    clock.advance(60_001);
    // A workspace may have 100 channels.
    const { channels } = (await daemon.ask('GET', '/channels', undefined, key)).body;
    for (const { id } of channels) await daemon.ask('DELETE', `/channels/${id}`, undefined, key);
    const holding = await fillWorkspace(daemon, key, marks[workspace], target);
    await untilQuiet(daemon.dataDir);
    return holding;
  };
  const holdings = { a: await fill('a'), b: await fill('b') };

  const all = cells();
  let before = await snapshots();
  for (const cell of all) {
    const { operation, key, id, runId } = cell;
    const named = [id && `id ${id}`, runId && `run ${runId}`].filter(Boolean);
    const what = [operation.name, key, ...named].join(', ');
    clock.advance(60_001);
    const path = pathOf(cell, holdings.a, holdings.b);
    const { body: given, method } = operation;
    const body = typeof given === 'function' ? given(holdings.a, holdings.b) : given;
    const expected = expectedStatus(cell);
    const answer =
      operation.isEndless && expected === 200
        ? await firstEvent(t, { url: daemon.url, ...(sessions[key] ?? { key: keys[key] ?? '' }) })
        : ((await sessions[key]?.ask(method, path, body)) ??
          (await daemon.ask(method, path, body, keys[key])));
    assert.equal(answer.status, expected, `${what}: ${JSON.stringify(answer.body)}`);
    if (expected >= 400) assertRefused(answer, expected, /./, what);

    const text = JSON.stringify(answer.body);
    const mine = workspaceOf(key);
    const theirs = mine === 'a' ? 'b' : 'a';
    if (operation.isEndless && expected === 200) {
      assert.equal(answer.body.data.workspaceId, ids[mine], what);
    }
    if (includes(badKeys, key) || expected >= 400) assert.ok(!text.includes(marks.a), what);
    assert.ok(!text.includes(marks[theirs]), `${what}: it shows data of ${theirs}`);

    await untilQuiet(daemon.dataDir);
    const after = await snapshots();
    assert.equal(after[theirs], before[theirs], `${what}: it changed data of ${theirs}`);
    const isRead = operation.method === 'GET' || operation.isRead === true;
    const changes = expected < 400 && !isRead;
    assert.equal(after[mine] !== before[mine], changes, `${what}: changes of its own`);
    if (changes) holdings[mine] = await fill(mine);
    before = changes ? await snapshots() : after;
  }
  t.diagnostic(`${all.length} requests`);
  assert.ok(all.length > 600);
});
