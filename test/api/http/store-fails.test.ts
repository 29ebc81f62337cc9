/** A store that cannot write: a failed request keeps nothing and is never reported as a success. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { monitorsOf, ping } from '../../support/records/monitor.ts';
import { exchange } from '../../support/hostile/raw.ts';
import { holdWriteLock } from '../../support/running/write-lock.ts';

test('while another process locks the store, writes are 503 and reads still work', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const lock = await holdWriteLock(t, dataDir, 'until released');
  const job = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
  assertRefused(await ask('POST', '/jobs', job), 503, /the store cannot be used now/, 'create');
  assert.deepEqual((await ask('GET', '/jobs')).body, { jobs: [], nextCursor: null });
  lock.release();
  await lock.ended;
  const made = await ask('POST', '/jobs', job);
  assert.equal(made.status, 201);
  const { jobs } = (await ask('GET', '/jobs')).body;
  assert.deepEqual(jobs, [made.body.job]);
});

test('a ping that cannot be written is 503 and is not recorded', async (t) => {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readMonitor, readPings } = monitorsOf(daemon);
  const { id, pingUrl } = await createMonitor();
  const lock = await holdWriteLock(t, daemon.dataDir, 'until released');
  const refused = await Promise.all([ping(pingUrl), ping(`${pingUrl}/fail`)]);
  for (const { status, body } of refused) {
    assert.equal(status, 503);
    assert.match((body as { error: string }).error, /the store cannot be used now/);
  }
  lock.release();
  await lock.ended;
  assert.deepEqual([await readPings(id), (await readMonitor(id)).status], [[], 'new']);
  assert.equal((await ping(pingUrl)).status, 200);
});

test('a failed ping is logged without its id, however its URL was written', async (t) => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const daemon = await startTestDaemon(t, { log });
  const { pingUrl } = await monitorsOf(daemon).createMonitor();
  const { pathname } = new URL(pingUrl);
  const secret = pathname.replace('/ping/', '');
  const lock = await holdWriteLock(t, daemon.dataDir, 'until released');
  const targets = [pathname, pingUrl, `/%70ing/${secret}/start`, `/ping/${secret}?a=b`];
  const answers = await Promise.all(
    targets.map((target) =>
      exchange(daemon.url, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ),
  );
  lock.release();
  await lock.ended;
  for (const [answer] of answers) assert.equal(answer?.status, 503);
  const ofPings = logged.filter((line) => line.includes('/ping/:pingId'));
  assert.equal(ofPings.length, targets.length);
  assert.ok(!logged.join('').includes(secret));
});
