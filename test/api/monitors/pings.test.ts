/** Pings: what tasks can report, and what callers without a valid URL get. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { each } from '../../support/each.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { monitorsOf, ping } from '../../support/records/monitor.ts';
import { exchange, openSocket, parseAnswers, receiveAll } from '../../support/hostile/raw.ts';
import { until } from '../../support/until.ts';

const ok = { ok: true };

test('GET, HEAD and POST to the URL are pings, answered with ok', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T10:20:00Z');
  const { createMonitor, readMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl, status } = await createMonitor({ timezone: 'UTC' });
  assert.equal(status, 'new');
  assert.match(pingUrl, new RegExp(`^${daemon.url}/ping/[0-9a-f-]{36}$`));
  assert.ok(!pingUrl.includes(id), 'the id of the monitor does not ping it');
  for (const method of ['GET', 'HEAD', 'POST']) {
    clock.advance(1_000);
    const answer = await ping(pingUrl, { method });
    assert.deepEqual([answer.status, answer.body], [200, method === 'HEAD' ? null : ok], method);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  }
  const pings = await readPings(id);
  assert.deepEqual(
    pings.map(({ source, kind, receivedAt }) => [source, kind, receivedAt.slice(11, 19)]),
    [
      ['POST', 'success', '10:20:03'],
      ['HEAD', 'success', '10:20:02'],
      ['GET', 'success', '10:20:01'],
    ],
  );
  const monitor = await readMonitor(id);
  assert.equal(monitor.status, 'up');
  assert.equal(monitor.lastPingAt, '2026-03-02T10:20:03.000Z');
  assert.equal(monitor.nextDueAt, '2026-03-02T11:00:00.000Z');
});

test('start, fail and exit codes are reported by the end of the URL', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T10:20:00Z');
  const { createMonitor, readMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const steps: [end: string, status: string, lastDurationMs: number | null][] = [
    ['/start', 'new', null],
    ['/0', 'up', 2_000],
    ['/1', 'down', null],
    ['/start', 'down', null],
    ['', 'up', 2_000],
    ['/fail', 'down', null],
    ['/0', 'up', null],
    ['/start', 'up', null],
    ['/255', 'down', 2_000],
  ];
  for (const [end, status, lastDurationMs] of steps) {
    clock.advance(2_000);
    assert.equal((await ping(pingUrl + end)).status, 200, end);
    const monitor = await readMonitor(id);
    assert.equal(monitor.status, status, end);
    assert.equal(monitor.lastDurationMs, lastDurationMs, end);
  }
  assert.deepEqual(each(await readPings(id), 'kind', 'exitCode', 'durationMs'), [
    ['fail', 255, 2_000],
    ['start', null, null],
    ['success', 0, null],
    ['fail', null, null],
    ['success', null, 2_000],
    ['start', null, null],
    ['fail', 1, null],
    ['success', 0, 2_000],
    ['start', null, null],
  ]);
});

test('a ping keeps the first 4096 bytes of a body of any type and size', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const full = 'ü'.repeat(2_048);
  const rows: [
    what: string,
    body: NonNullable<RequestInit['body']> | null,
    kept: string | null,
    truncated: boolean,
  ][] = [
    ['none', null, null, false],
    ['an empty one', '', null, false],
    ['text', 'backup done\n', 'backup done\n', false],
    ['a zero byte', 'a\0b', 'a\0b', false],
    ['no UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\ufffdb', false],
    ['as much as is kept', full, full, false],
    ['a byte more', `${full}!`, full, true],
    ['a character at the cut', `a${full}`, `a${full.slice(1)}`, true],
    ['256 KiB', 'x'.repeat(256 * 1024), 'x'.repeat(4_096), true],
    ['a byte more than 256 KiB', 'x'.repeat(256 * 1024 + 1), 'x'.repeat(4_096), true],
    ['3 MiB', 'ü'.repeat(3 * 512 * 1024), full, true],
  ];
  const types = ['', 'text/plain', 'application/json', 'application/octet-stream', 'nonsense'];
  for (const [index, [what, body, kept, truncated]] of rows.entries()) {
    const type = types[index % types.length] ?? '';
    const headers = type === '' ? {} : { 'content-type': type };
    assert.equal((await ping(pingUrl, { method: 'POST', body, headers })).status, 200, what);
    const [newest] = await readPings(id, '?limit=1');
    assert.deepEqual([newest?.body, newest?.truncated], [kept, truncated], what);
  }
  for (const type of types) {
    const headers = { 'content-type': type };
    const { status } = await ping(pingUrl, { method: 'POST', body: '{"not JSON', headers });
    assert.equal(status, 200, type);
  }
  assert.equal((await readPings(id)).length, rows.length + types.length);
});

test('a ping counts by the beginning of a body that is too large to be read', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const { pathname } = new URL(pingUrl);
  const piece = 'x'.repeat(256 * 1024);
  const ways: [framing: string, piece: string][] = [
    [`Content-Length: ${1_000 * piece.length}`, piece],
    ['Transfer-Encoding: chunked', `${piece.length.toString(16)}\r\n${piece}\r\n`],
  ];
  for (const [index, [framing, sent]] of ways.entries()) {
    const socket = await openSocket(daemon.url);
    const answered = receiveAll(socket);
    socket.write(`POST ${pathname}/1 HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
    // More than is read, and less than was announced.
    for (let count = 0; count < 66; count += 1) {
      await new Promise<unknown>((resolve) => {
        socket.write(sent, resolve);
      });
    }
    const [answer] = parseAnswers(await answered);
    assert.deepEqual([answer?.status, answer?.headers.get('connection')], [200, 'close'], framing);
    const [newest] = await readPings(id, '?limit=1');
    assert.deepEqual(
      [newest?.exitCode, newest?.body?.length, newest?.truncated, (await readPings(id)).length],
      [1, 4_096, true, index + 1],
    );
  }
});

test('a large body is asked for that its client announces with Expect', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const body = 'y'.repeat(300 * 1024);
  const socket = await openSocket(daemon.url);
  const answered = receiveAll(socket);
  const asked = once(socket, 'data');
  socket.write(
    `POST ${new URL(pingUrl).pathname} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await asked;
  socket.write(body);
  assert.deepEqual(each(parseAnswers(await answered), 'status'), [100, 200]);
  assert.equal((await readPings(id))[0]?.body, body.slice(0, 4_096));
});

test('PUT, PATCH and a slash at the end are pings like any other', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const ways: [method: string, end: string, kind: string, exitCode: number | null][] = [
    ['PUT', '', 'success', null],
    ['PATCH', '/fail', 'fail', null],
    ['PUT', '/3', 'fail', 3],
    ['GET', '/', 'success', null],
    ['HEAD', '/', 'success', null],
    ['POST', '/start/', 'start', null],
    ['PUT', '/0/', 'success', 0],
    ['HEAD', '/1/', 'fail', 1],
  ];
  for (const [method, end, kind, exitCode] of ways) {
    const body = method === 'GET' || method === 'HEAD' ? null : 'said';
    const response = await fetch(`${pingUrl}${end}`, { method, body });
    assert.equal(response.status, 200, `${method} ${end}`);
    await response.arrayBuffer();
    const [newest] = await readPings(id, '?limit=1');
    assert.deepEqual(
      [newest?.source, newest?.kind, newest?.exitCode, newest?.body],
      [method, kind, exitCode, body],
      `${method} ${end}`,
    );
  }
  for (const end of ['/start//', '/start/x', '/x/']) {
    assert.equal((await fetch(`${pingUrl}${end}`, { method: 'PUT' })).status, 404, end);
  }
});

test('a slow or broken body delays no other ping and counts only once it is complete', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const { pathname } = new URL(pingUrl);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\n`;
  const slow = await openSocket(daemon.url);
  slow.write(`${head}a`);
  const broken = await openSocket(daemon.url);
  broken.write(`${head}a`);
  broken.destroy();
  for (let count = 0; count < 10; count += 1) assert.equal((await ping(pingUrl)).status, 200);
  assert.equal((await readPings(id)).length, 10);
  slow.write('bcd');
  const [answer] = parseAnswers(await receiveAll(slow));
  assert.deepEqual([answer?.status, answer?.body], [200, '{"ok":true}']);
  const pings = await readPings(id);
  assert.deepEqual([pings.length, pings[0]?.body], [11, 'abcd']);
});

test('a GET with a body is a ping, and its body is dropped', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const head = `GET ${new URL(pingUrl).pathname}?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
  const [answer] = await exchange(daemon.url, `${head}Content-Length: 5\r\n\r\nhello`);
  assert.equal(answer?.status, 200);
  assert.deepEqual(each(await readPings(id), 'body'), [null]);
});

test('every path without a monitor gets the same answer, before its body is read', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const monitor = await createMonitor();
  const deleted = await createMonitor();
  assert.equal((await daemon.ask('DELETE', `/monitors/${deleted.id}`)).status, 200);
  const { pathname } = new URL(monitor.pingUrl);
  const paths = [
    `/ping/${randomUUID()}`,
    `/ping/${randomUUID()}/start`,
    `/ping/${monitor.id}`,
    new URL(deleted.pingUrl).pathname,
    `${pathname}0`,
    '/ping/17',
    "/ping/'%20or%201=1",
    '/ping/%00',
    `/ping/${randomUUID()}/256`,
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST']) {
      const { status, body, headers } = await ping(daemon.url + path, { method });
      assert.equal(status, 404, path);
      assert.deepEqual(body, { error: 'there is no monitor at this URL' }, path);
      assert.equal(headers.get('www-authenticate'), null);
    }
  }
  const socket = await openSocket(daemon.url);
  const head = `POST /ping/${randomUUID()} HTTP/1.1\r\nHost: a\r\n`;
  socket.write(`${head}Content-Length: 200000\r\n\r\nabc`);
  const [early] = await new Promise<Buffer>((resolve) => {
    socket.once('data', resolve);
  }).then(parseAnswers);
  assert.equal(early?.status, 404, 'it does not wait for the rest');
  socket.destroy();
  assert.deepEqual(await readPings(monitor.id), []);
});

test('a ping id may be in upper case; a wrong ending is answered with the valid ones', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const { pathname } = new URL(pingUrl);
  const upper = daemon.url + pathname.toUpperCase().replace('/PING/', '/ping/');
  for (const url of [upper, `${upper}/start`]) {
    assert.deepEqual((await ping(url)).body, ok, url);
  }
  for (const words of ['256', '300', '-1', '01', 'stop']) {
    const { status, body } = await ping(`${pingUrl}/${words}`, { method: 'POST' });
    const rule = 'after the ping id may follow start, fail or an exit code from 0 to 255';
    assert.deepEqual([status, body], [404, { error: `${rule}, got "${words}"` }]);
  }
  assert.equal((await readPings(id)).length, 2);
});

test('other methods and longer paths are not pings', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  for (const method of ['DELETE', 'OPTIONS']) {
    const { status, body } = await ping(pingUrl, { method });
    assert.equal(status, 404, method);
    assert.deepEqual(Object.keys(body as object), ['error'], method);
  }
  for (const end of ['/start/now', '/0/0']) assert.equal((await ping(pingUrl + end)).status, 404);
  assert.equal((await ping(`${daemon.url}/ping`)).status, 404);
  assert.deepEqual(await readPings(id), []);
});

test('300 unknown ids a minute get 404, then 429; valid pings and keys still work', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { createMonitor } = monitorsOf(daemon);
  // More than one may be pinged at once without a pause.
  const made = [await createMonitor(), await createMonitor()];
  let turn = 0;
  const known = (): string => made[turn++ % made.length]!.pingUrl;
  const unknown = (): string => `${daemon.url}/ping/${randomUUID()}`;
  assert.deepEqual(await countStatuses(400, known), { 200: 400 });
  assert.equal((await daemon.ask('GET', '/jobs', undefined, null)).status, 401);
  assert.deepEqual(await countStatuses(300, unknown), { 404: 299, 429: 1 });
  const refused = await ping(unknown());
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal((await daemon.ask('GET', '/jobs', undefined, null)).status, 429, 'one count');
  assert.deepEqual(await countStatuses(50, known), { 200: 50 });
  assert.equal((await daemon.ask('GET', '/jobs')).status, 200);
  clock.pass(60_000);
  assert.deepEqual(await countStatuses(1, unknown), { 404: 1 });
});

test('every acknowledged ping is stored once and in order, however many arrive together', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readMonitor } = monitorsOf(daemon);
  const monitors = await Promise.all([createMonitor(), createMonitor(), createMonitor()]);
  const sent = await Promise.all(
    Array.from({ length: 600 }, async (_, index) => {
      const monitor = monitors[index % 3]!;
      const answer = await ping(monitor.pingUrl, { method: 'POST', body: `ping ${index}` });
      assert.deepEqual([answer.status, answer.body], [200, ok]);
      return { monitorId: monitor.id, body: `ping ${index}` };
    }),
  );
  for (const { id } of monitors) {
    const kept: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await daemon.ask('GET', `/monitors/${id}/pings?limit=100${query}`);
      kept.push(...body.pings.map((one: { body: string }) => one.body));
      cursor = body.nextCursor;
    } while (cursor !== null && kept.length <= 200);
    const expected = sent.filter(({ monitorId }) => monitorId === id).map(({ body }) => body);
    assert.deepEqual(kept.toSorted(), expected.toSorted());
    assert.equal((await readMonitor(id)).status, 'up');
  }
});

test('a ping concurrent with the deletion of its monitor gets either valid answer', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const pings = Array.from({ length: 20 }, () => ping(pingUrl));
  const deleted = daemon.ask('DELETE', `/monitors/${id}`);
  const statuses = (await Promise.all(pings)).map(({ status }) => status);
  assert.ok(statuses.every((status) => status === 200 || status === 404));
  assert.equal((await deleted).status, 200);
  await until('the monitor to be gone for pings', async () => (await ping(pingUrl)).status === 404);
});

/** The number of responses by status, of this many pings. */
async function countStatuses(count: number, url: () => string): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let number = 0; number < count; number += 1) {
    const { status } = await ping(url());
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}
