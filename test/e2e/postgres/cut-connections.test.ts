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
  untilReady,
  type ServerService,
} from './service.ts';

/** What the engine does in transactions, by their first statement. */
const kinds = {
  claim: ({ first }: Request) => first.includes('for key share'),
  record: ({ first }: Request) => first.includes('"total_success" ='),
  signature: ({ first }: Request) => first.startsWith('select "key_id"'),
};

const fates = ['is lost', 'is done, its answer is lost'] satisfies Fate[];

/** Transactions that end before the statement is reached, until none is held to have so many. */
const enough = 10;
/** More than are called meanwhile: the rest follows at once. */
const jobCount = 6_000;
/** Jobs that become due by themselves do so long after it. */
const lateMs = 20 * 60_000;

const isCommit = ({ text }: Request): boolean => text === 'commit';

test('a connection that breaks at any statement', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, jobCount);
  const proxy = await startProxy(t, server.port);
  const daemon = await service.start(proxy.urlOf(service.database));
  const endAsking = keepAsking(service);
  await service.storm(lateMs, 0);
  let strikes = 0;
  for (const isOfKind of Object.values(kinds)) {
    for (const fate of fates) {
      for (let index = 1; ; index += 1) {
        const isNth = (request: Request) => request.index === index && !isCommit(request);
        if (!(await strike(proxy, service, { isOfKind, isStruck: isNth, fate }))) break;
        strikes += 1;
      }
      // Transactions of a kind differ in length, so the last statement is found by its text.
      assert.ok(await strike(proxy, service, { isOfKind, isStruck: isCommit, fate }));
      strikes += 1;
    }
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
 * Waits for such a statement in a transaction of a kind, and lets this happen to it. True once such a transaction works
 * again; false if none has such a statement.
 */
async function strike(
  proxy: Proxy,
  service: ServerService,
  {
    isOfKind,
    isStruck,
    fate,
  }: {
    isOfKind: (request: Request) => boolean;
    isStruck: (request: Request) => boolean;
    fate: Fate;
  },
): Promise<boolean> {
  let struck = false;
  let without = 0;
  let isOver = false;
  proxy.decide = (request) => {
    if (!isOfKind(request)) return 'passes';
    if (!struck && isStruck(request)) {
      struck = true;
      return fate;
    }
    if (request.text !== 'commit') return 'passes';
    without += 1;
    isOver ||= struck || without >= enough;
    return 'passes';
  };
  await until('a transaction after it', async () => {
    if (!isOver) await service.some(3);
    return isOver;
  });
  return struck;
}
