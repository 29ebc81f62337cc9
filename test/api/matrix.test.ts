/**
 * The full permission matrix (docs/behavior.md#keys): every operation, with every kind of key and session, on
 * every kind of id. `expectedStatus` is the rule.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertRefused } from '../support/checks/answer.ts';
import { newCode, signIn, type SignedIn } from '../support/running/browser.ts';
import { startSteadyDaemon } from '../support/running/daemon.ts';
import { openStream } from '../support/running/events.ts';
import { apiOperations, unknownId, type ApiOperation } from '../support/operations.ts';
import { defaultWorkspaceId, revokedKey } from '../support/records/keys.ts';
import { fillWorkspace, openSnapshots, type Holding } from '../support/records/two-workspaces.ts';
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

/** An operation with one of its queries. */
interface Asked extends ApiOperation {
  /** The status for a permitted key and existing ids. */
  ok: number;
}

/** These end what the others ask with, or need no key. */
const untried = new Set(['signIn', 'signOut', 'getOpenApi']);
/** Statuses of permitted requests that are no success here. */
const otherwise: Readonly<Record<string, number>> = {
  // No run of these jobs waits for a report.
  reportRun: 409,
  replayRun: 409,
  checkReplay: 409,
  // The target refused the connection, so there is no answer that a receipt could attest.
  getReceipt: 409,
  // These name nothing that exists.
  moveSession: 404,
  endSession: 404,
  revokeKey: 404,
};

async function everyQuestion(): Promise<Asked[]> {
  const operations = (await apiOperations()).filter(({ name }) => !untried.has(name));
  return operations.flatMap((operation) =>
    (operation.queries ?? ['']).map((query) => ({
      ...operation,
      name: operation.name + query,
      path: operation.path.replace(/(sessions|keys)\/\{id\}/, `$1/${unknownId}`) + query,
      ok: otherwise[operation.name] ?? operation.success,
    })),
  );
}

interface Cell {
  operation: Asked;
  key: KeyKind;
  /** Undefined if the path has none. */
  id: IdKind | undefined;
  runId: RunKind | undefined;
}

function cellsOf(operations: readonly Asked[]): Cell[] {
  return operations.flatMap((operation) =>
    keyKinds.flatMap((key) => {
      // What an id names does not depend on how somebody is signed in.
      const few = key.endsWith('session') ? 2 : Infinity;
      const ids = operation.path.includes('{id}') ? idKinds.slice(0, few) : [undefined];
      const runIds = /\{(runId|deliveryId)\}/.test(operation.path)
        ? runKinds.slice(0, few)
        : [undefined];
      return ids.flatMap((id) => runIds.map((runId) => ({ operation, key, id, runId })));
    }),
  );
}

/** The order of checks: the key, its permission, then whether the id exists in this workspace. */
function expectedStatus({ operation, key, id, runId }: Cell): number {
  if (operation.isOpen) return operation.ok;
  if (includes(badKeys, key)) return 401;
  const needsWrite = operation.method !== 'GET' || operation.only === 'writers';
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

function pathOf({ operation, id, runId }: Cell, a: Holding, b: Holding): string {
  const parts = {
    monitors: 'monitorId',
    channels: 'channelId',
    windows: 'windowId',
    badges: 'badgeId',
  } as const;
  const [, list = ''] = operation.path.split('/');
  const part = parts[list as keyof typeof parts] ?? 'jobId';
  const isOfChannel = list === 'channels';
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
  return operation.path
    .replace('{id}', named)
    .replace(/\{(runId|deliveryId)\}/, runId ? runIds[runId] : '');
}

/** Opens a stream and closes it. Its first event says which workspace it is of. */
async function firstEvent(t: TestContext, of: Parameters<typeof openStream>[1]) {
  const stream = await openStream(t, of);
  stream.close();
  const [body] = stream.events;
  return { status: 200, headers: new Headers(), body };
}

test('each key can do what its permission and workspace allow, and changes or reads nothing else', async (t) => {
  // The clock advances a minute before what works once a minute, and for each ten requests, to stay below the rate limits. Every
  // job is paused, so nothing falls due.
  const { daemon, clock } = await startSteadyDaemon(t);
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
    // A workspace may have 100 channels, and each snapshot has all there is.
    for (const kind of ['jobs', 'monitors', 'channels', 'windows', 'badges']) {
      const found = (await daemon.ask('GET', `/${kind}`, undefined, key)).body[kind];
      for (const { id } of found) await daemon.ask('DELETE', `/${kind}/${id}`, undefined, key);
    }
    const holding = await fillWorkspace(daemon, key, marks[workspace], target);
    await store.untilQuiet();
    return holding;
  };
  const holdings = { a: await fill('a'), b: await fill('b') };

  const all = cellsOf(await everyQuestion());
  let before = await snapshots();
  let asked = 0;
  const askOne = async (cell: Cell): Promise<void> => {
    const { operation, key, id, runId } = cell;
    const named = [id && `id ${id}`, runId && `run ${runId}`].filter(Boolean);
    const what = [operation.name, key, ...named].join(', ');
    const expected = expectedStatus(cell);
    const isDone = expected < 400 && operation.method !== 'GET';
    if (isDone || asked % 10 === 0) clock.advance(60_001);
    asked += 1;
    const path = pathOf(cell, holdings.a, holdings.b);
    const { body: given, method } = operation;
    const body = typeof given === 'function' ? given(holdings.a.jobId, holdings.b.jobId) : given;
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

    await store.untilQuiet();
    const after = await snapshots();
    assert.equal(after[theirs], before[theirs], `${what}: it changed data of ${theirs}`);
    const isRead = operation.method === 'GET' || operation.changes !== undefined;
    const changes = expected < 400 && !isRead;
    assert.equal(after[mine] !== before[mine], changes, `${what}: changes of its own`);
    if (changes) holdings[mine] = await fill(mine);
    before = changes ? await snapshots() : after;
  };
  // Each by itself: what takes minutes without a word counts as hanging.
  for (const [name, cells] of Map.groupBy(all, ({ operation }) => operation.name)) {
    await t.test(name, async () => {
      for (const cell of cells) await askOne(cell);
    });
  }
  t.diagnostic(`${all.length} requests`);
  assert.ok(all.length > 600);
});
