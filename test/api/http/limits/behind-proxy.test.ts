/** Limits by address behind a proxy (docs/behavior.md#limit-1): one client takes nothing from the others. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { createOpenConnections } from '../../../../src/api/http/limits/open-connections.ts';
import type { OpenConnection } from '../../../../src/api/http/limits/open-connections.ts';
import { findUntrustedProxy } from '../../../../src/store/accounts/instance.ts';
import { each } from '../../../support/each.ts';
import { fakeClock } from '../../../support/fakes/clock.ts';
import { startTestDaemon, type TestDaemon } from '../../../support/running/daemon.ts';
import { openTestLocal } from '../../../support/running/local.ts';
import { until } from '../../../support/until.ts';

interface Line {
  msg: string;
  proxy?: string;
  address?: string;
  forwardedFor?: string | null;
}

async function start(t: TestContext, trustedProxy: string[]) {
  const lines: Line[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const daemon = await startTestDaemon(t, { clock: fakeClock(), log, flags: { trustedProxy } });
  return { daemon, lines };
}

/** As a proxy sends it: what the client wrote, and the address of the client. */
async function as(
  { url }: TestDaemon,
  forwardedFor: string,
  [method, path]: readonly [method: string, path: string],
  init: { headers?: Record<string, string>; body?: string } = {},
): Promise<number> {
  const headers = { ...init.headers, 'x-forwarded-for': forwardedFor };
  const { status, body } = await fetch(url + path, { method, ...init, headers });
  await body?.cancel();
  return status;
}

const get = (path: string) => ['GET', path] as const;
const unknown = get('/api/v1/unknown');
/** Refused as what it is, and not for its address. */
const signIn = async (daemon: TestDaemon, client: string): Promise<number> =>
  await as(daemon, client, ['POST', '/api/v1/session'], {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'unknown' }),
  });
const documents = [
  '/docs',
  '/.well-known/jwks.json',
  '/.well-known/openid-configuration',
  '/api/v1/openapi.json',
];

async function flood(daemon: TestDaemon, clients: readonly string[]): Promise<void> {
  for (let count = 0; count < 900; count += 1) {
    await as(daemon, clients[count % clients.length] ?? '', unknown);
  }
}

test('behind a trusted proxy one client that asks too often locks nobody else out', async (t) => {
  const { daemon, lines } = await start(t, ['127.0.0.1']);
  // What a client writes itself is not believed, and a network of IPv6 is one client.
  await flood(daemon, [
    '192.0.2.66',
    '203.0.113.9, 192.0.2.66',
    '10.0.0.1,192.0.2.66, 127.0.0.1',
    '2001:db8:1:2::1',
    '2001:db8:1:2:3::2',
  ]);
  for (const client of ['192.0.2.66', '203.0.113.9, 192.0.2.66', '2001:db8:1:2::9']) {
    assert.equal(await as(daemon, client, unknown), 429, client);
    assert.equal(await signIn(daemon, client), 429, client);
  }
  for (const client of ['203.0.113.9', '2001:db8:1:3::1', '192.0.2.66, 203.0.113.10']) {
    assert.equal(await as(daemon, client, unknown), 404, client);
    assert.equal(await signIn(daemon, client), 401, client);
    for (const path of documents) assert.equal(await as(daemon, client, get(path)), 200, path);
  }
  assert.equal(await as(daemon, 'not an address', unknown), 404, 'it counts for the proxy');
  assert.deepEqual(
    lines.filter(({ proxy }) => proxy !== undefined),
    [],
  );
});

test('the client behind a trusted proxy is who a change comes from', async (t) => {
  const { daemon, lines } = await start(t, ['127.0.0.0/8']);
  const made = await as(daemon, '198.51.100.1, 203.0.113.9', ['POST', '/api/v1/monitors'], {
    headers: { authorization: `Bearer ${daemon.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'a' }),
  });
  assert.equal(made, 201);
  const { body } = await daemon.ask('GET', '/audit');
  const { address, forwardedFor } = body.entries[0];
  assert.deepEqual([address, forwardedFor], ['203.0.113.9', null]);
  const line = lines.find(({ msg }) => msg === 'changed');
  assert.deepEqual([line?.address, line?.forwardedFor], ['203.0.113.9', null]);
});

test('a proxy that is not trusted decides nothing; documents stay there for all, and the log says once what to do', async (t) => {
  const { daemon, lines } = await start(t, []);
  await flood(daemon, ['192.0.2.66', '192.0.2.67']);
  assert.equal(await as(daemon, '203.0.113.9', unknown), 429);
  for (const path of documents) assert.equal(await as(daemon, '203.0.113.9', get(path)), 200, path);
  const told = lines.filter(({ proxy }) => proxy !== undefined);
  assert.deepEqual(each(told, 'proxy'), ['127.0.0.1']);
  assert.match(told[0]?.msg ?? '', /set --trusted-proxy \(JOBD_TRUSTED_PROXY\)$/);
  await using local = await openTestLocal(daemon.dataDir);
  await until('it is kept for jobd doctor', async () => {
    return (await findUntrustedProxy(local.store.db)) === '127.0.0.1';
  });
});

test('connections of a proxy are those of its clients: one with many loses its own', () => {
  const open = createOpenConnections<OpenConnection>(4);
  const closed: string[] = [];
  const connect = (name: string, client: string) => {
    const connection = {
      addressGroup: 'proxy',
      isTrusted: false,
      isBusy: false,
      activeAt: 0,
      close: () => void closed.push(name),
    };
    assert.ok(open.admit(connection));
    open.update(connection, client);
  };
  connect('first of one', 'one');
  for (const name of ['a', 'b', 'c']) connect(name, 'two');
  connect('second of one', 'one');
  assert.deepEqual(closed, ['a']);
  connect('third of one', 'one');
  assert.deepEqual(closed, ['a', 'first of one']);
});
