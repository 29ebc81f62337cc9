/**
 * Egress in several threads: which calls start another thread, and limits that hold for a host in
 * any thread.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import type { Egress } from '../../src/egress/egress.ts';
import { startEgressThread, startEgressThreads } from '../../src/egress/threads.ts';
import type { ThreadOptions } from '../../src/egress/threads.ts';
import { authority, goodCertificate, serverKey } from './certificates.ts';
import { answer, eventually, get, kept, responseOf, startTarget, type Target } from './support.ts';

const tls = { key: serverKey, cert: goodCertificate };
/** More than one thread takes before another one is started. */
const pressing = 40;

/** Egress, and the URLs that each of its threads got. */
function startThreads(t: TestContext, most = 2): { egress: Egress; urls: string[][] } {
  const urls: string[][] = [];
  const start = (options: ThreadOptions): Egress => {
    const given: string[] = [];
    urls.push(given);
    const thread = startEgressThread(options);
    return {
      call(call, signal) {
        given.push(call.url);
        return thread.call(call, signal);
      },
      prepare() {},
      useCallKeys() {},
      [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
    };
  };
  const allowTargets = parseAllowTargets(['127.0.0.1/32:*']);
  const options = { allowTargets, connectionsPerHost: 4, userAgent: 'jobd/test', ca: authority };
  const egress = startEgressThreads(options, { most, start });
  t.after(() => egress[Symbol.asyncDispose]());
  return { egress, urls };
}

/** A target that delays its answer to `/held` until told to. */
async function startHolding(t: TestContext): Promise<Target & { letGo: () => void }> {
  const held: (() => void)[] = [];
  let isHolding = true;
  const target = await startTarget(
    t,
    (socket, request) => {
      const reply = (): unknown => socket.write(answer('ok', '200 OK', kept));
      if (isHolding && request.startsWith('GET /held')) held.push(reply);
      else reply();
    },
    { tls },
  );
  const letGo = (): void => {
    isHolding = false;
    for (const reply of held) reply();
  };
  return Object.assign(target, { letGo });
}

function callMany(egress: Egress, url: string, signal?: AbortSignal): Promise<unknown>[] {
  return Array.from({ length: pressing }, async () => {
    return responseOf(await egress.call(get(url, { timeoutMs: 30_000 }), signal));
  });
}

test('no thread runs before it is needed, and none after egress is closed', async (t) => {
  const plain = await startTarget(t, (socket) => socket.write(answer('ok')));
  const { egress, urls } = startThreads(t);
  assert.equal(urls.length, 0);
  egress.prepare();
  egress.prepare();
  assert.equal(urls.length, 1);
  responseOf(await egress.call(get(plain.url)));
  assert.deepEqual(urls, [[plain.url]]);
  const silent = await startTarget(t, () => {});
  const late = egress.call(get(silent.url));
  const lateEnd = assert.rejects(late, /egress was closed/);
  await egress[Symbol.asyncDispose]();
  await lateEnd;
  await assert.rejects(egress.call(get(plain.url)), /egress was closed/);
  const closed = startThreads(t);
  await closed.egress[Symbol.asyncDispose]();
  await assert.rejects(closed.egress.call(get(plain.url)), /egress was closed/);
  assert.equal(closed.urls.length, 0);
});

test('all calls to one host stay in one thread, and so do calls without TLS', async (t) => {
  const target = await startHolding(t);
  const plain = await startTarget(t, (socket) => socket.write(answer('ok')));
  const { egress, urls } = startThreads(t);
  const calls = callMany(egress, `${target.url}held`);
  await eventually(() => target.requests.length === 4);
  await Promise.all(callMany(egress, plain.url));
  target.letGo();
  await Promise.all(calls);
  assert.equal(urls.length, 1);
});

test('a new host gets another thread while the first is busy, and both keep theirs', async (t) => {
  const [one, other] = [await startHolding(t), await startHolding(t)];
  const { egress, urls } = startThreads(t);
  const calls = callMany(egress, `${one.url}held`);
  const others = callMany(egress, `${other.url}held`);
  await eventually(() => one.requests.length === 4 && other.requests.length === 4);
  one.letGo();
  await Promise.all(calls);
  // The same hosts in another spelling; the first thread is idle by now.
  calls.push(...callMany(egress, one.url.replace('https', 'HTTPS')));
  others.push(...callMany(egress, other.url.replace('https', 'HTTPS')));
  other.letGo();
  await Promise.all([...calls, ...others]);
  const ports = urls.map((given) => given.map((url) => Number(new URL(url).port)));
  assert.deepEqual(ports, [
    Array.from({ length: 2 * pressing }, () => one.port),
    Array.from({ length: 2 * pressing }, () => other.port),
  ]);
  // The limit of connections to a host holds, whatever else is called.
  assert.deepEqual([one.connections, other.connections], [4, 4]);
});

test('the thread limit holds', async (t) => {
  const targets = await Promise.all(Array.from({ length: 4 }, () => startHolding(t)));
  const { egress, urls } = startThreads(t, 3);
  const calls = targets.flatMap((target) => callMany(egress, `${target.url}held`));
  await eventually(() => targets.every(({ requests }) => requests.length > 0));
  for (const target of targets) target.letGo();
  await Promise.all(calls);
  assert.deepEqual(
    urls.map((given) => given.length).toSorted((a, b) => a - b),
    [pressing, pressing, 2 * pressing],
  );
});

test('an abort ends calls in every thread, and a disposal closes their connections', async (t) => {
  const [one, other] = [await startHolding(t), await startHolding(t)];
  const { egress, urls } = startThreads(t);
  const aborter = new AbortController();
  const reason = new Error('stopped');
  const aborted = [one, other].flatMap((target) => {
    return callMany(egress, `${target.url}held`, aborter.signal);
  });
  const ends = aborted.map((call) => assert.rejects(call, (error) => error === reason));
  await eventually(() => one.requests.length === 4 && other.requests.length === 4);
  assert.equal(urls.length, 2);
  aborter.abort(reason);
  await Promise.all(ends);
  const left = [one, other].map((target) => egress.call(get(`${target.url}held`)));
  const leftEnds = left.map((call) => assert.rejects(call, /egress was closed/));
  await eventually(() => one.requests.length === 5 && other.requests.length === 5);
  await egress[Symbol.asyncDispose]();
  await Promise.all(leftEnds);
  await eventually(() => one.open.size + other.open.size === 0);
});

test('calls use the existing threads if no other can be started', async () => {
  let started = 0;
  const urls: string[] = [];
  const start = (): Egress => {
    started += 1;
    if (started > 1) throw new Error('there is no memory for a thread');
    return {
      call: (call) => {
        urls.push(call.url);
        return new Promise(() => {});
      },
      prepare() {},
      useCallKeys() {},
      async [Symbol.asyncDispose]() {},
    };
  };
  const options = { allowTargets: [], connectionsPerHost: 4, userAgent: 'jobd/test' };
  await using egress = startEgressThreads(options, { most: 2, start });
  const url = 'https://pressing.example/';
  for (let call = 0; call < pressing; call += 1) void egress.call(get(url));
  void egress.call(get('https://other.example/'));
  assert.equal(started, 2);
  assert.equal(urls.length, pressing + 1);
});
