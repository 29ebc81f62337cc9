/** A connection that breaks at each statement of a claim, of a record and of a signature, before it is done or after. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProxy, type Fate, type Proxy, type Request } from '../../support/postgres/proxy.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';
import {
  assertAllCalledOnce,
  keepAsking,
  prepareOnServer,
  skip,
  untilCalls,
  untilReady,
} from './service.ts';

/** What the engine does in transactions, by their first statement. */
const kinds = {
  claim: ({ first }: Request) => first.includes('for key share'),
  record: ({ first }: Request) => first.includes('insert into "runs"'),
  signature: ({ first }: Request) => first.startsWith('select "key_id"'),
};

const fates = ['is lost', 'is done, its answer is lost'] satisfies Fate[];

/** Transactions that end before the statement is reached, until there is none. */
const enough = 10;
/** More than are called meanwhile: the rest follows at once. */
const jobCount = 1_000;
const spreadMs = 40_000;

test('a connection that breaks at any statement', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, jobCount);
  const proxy = await startProxy(t, server.port);
  const daemon = await service.start(proxy.urlOf(service.database));
  const endAsking = keepAsking(service);
  await service.storm(0, spreadMs);
  await untilCalls(service, 5);
  let strikes = 0;
  for (const [kind, isOfKind] of Object.entries(kinds)) {
    const struck = new Set<string>();
    for (const fate of fates) {
      for (let index = 1; ; index += 1) {
        const text = await strike(proxy, { isOfKind, index, fate });
        if (text === null) break;
        strikes += 1;
        struck.add(text);
        if (text === 'commit') break;
      }
    }
    assert.ok(struck.has('commit'), `${kind}: ${[...struck].join()}`);
  }
  t.diagnostic(`${strikes} connections broke, ${service.witness.arrivals.length} calls meanwhile`);
  await service.hurry();
  await service.untilSettled();
  await untilReady(service);
  await endAsking();
  assert.equal(await daemon.stop(), 0, daemon.log());
  await assertAllCalledOnce(service);
});

test('an answer to a commit that never comes', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, 40);
  const proxy = await startProxy(t, server.port);
  const daemon = await service.start(proxy.urlOf(service.database));
  await service.storm(500, 2_000);
  const struck = new Promise<void>((resolve) => {
    proxy.decide = (request) => {
      if (request.text !== 'commit' || !kinds.claim(request)) return 'passes';
      proxy.decide = () => 'passes';
      resolve();
      return 'is stuck';
    };
  });
  await struck;
  await service.untilSettled();
  await untilReady(service);
  assert.match(daemon.log(), /the database cannot be used, will try again/);
  assert.equal(await daemon.stop(), 0, daemon.log());
  await assertAllCalledOnce(service);
});

/**
 * Waits for a statement of this number in a transaction of a kind, and lets this happen to it. Returns the statement once
 * such a transaction works again; null if none has so many.
 */
async function strike(
  proxy: Proxy,
  { isOfKind, index, fate }: { isOfKind: (request: Request) => boolean; index: number; fate: Fate },
): Promise<string | null> {
  let struck: string | null = null;
  let shorter = 0;
  let isOver = false;
  proxy.decide = (request) => {
    if (!isOfKind(request)) return 'passes';
    if (struck === null && request.index === index) {
      struck = request.text;
      return fate;
    }
    if (request.text !== 'commit') return 'passes';
    shorter += 1;
    isOver ||= struck !== null || shorter >= enough;
    return 'passes';
  };
  await until('a transaction after it', () => isOver);
  return struck;
}
