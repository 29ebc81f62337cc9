/** A store that cannot write: a failed request keeps nothing and is never reported as a success. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { monitorsOf, ping } from '../../support/records/monitor.ts';
import { exchange } from '../../support/hostile/raw.ts';
import { holdWriteLock } from '../../support/running/write-lock.ts';

test('while another process locks the store, writes are 503 and reads still work', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const lock = await holdWriteLock(t, dataDir, 'until released');
  const job = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
  assertRefused(await ask('POST', '/jobs', job), 503, /the database cannot be used now/, 'create');
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
    assert.match((body as { error: string }).error, /the database cannot be used now/);
  }
  lock.release();
  await lock.ended;
  assert.deepEqual([await readPings(id), (await readMonitor(id)).status], [[], 'new']);
  assert.equal((await ping(pingUrl)).status, 200);
});

test('of requests that are refused while the database cannot be used, one is a warning, and none an error', async (t) => {
  const { log, lines } = memoryLog();
  const { ask, dataDir } = await startTestDaemon(t, { log });
  const lock = await holdWriteLock(t, dataDir, 'until released');
  const job = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST', '/jobs', job)));
  lock.release();
  await lock.ended;
  for (const { status } of answers) assert.equal(status, 503);
  const about = lines().filter(({ level }) => level >= 40);
  const refusals = about.filter(({ url }) => url === '/api/v1/jobs');
  assert.ok(about.length > 0, 'it is said');
  assert.ok(refusals.length <= 1, 'at most once by a request');
  for (const { msg, err } of about) {
    assert.match(msg, /the database cannot be used/);
    assert.equal(err, undefined);
  }
});

test('a ping that broke down is logged without its id, however its URL was written', async (t) => {
  const { log, text, lines } = memoryLog();
  const daemon = await startTestDaemon(t, { log });
  const { pingUrl } = await monitorsOf(daemon).createMonitor();
  const { pathname } = new URL(pingUrl);
  const secret = pathname.replace('/ping/', '');
  await using local = await openTestLocal(daemon.dataDir);
  await local.store.db.schema.alterTable('pings').renameTo('lost').execute();
  const targets = [pathname, pingUrl, `/%70ing/${secret}/start`, `/ping/${secret}?a=b`];
  const answers = await Promise.all(
    targets.map((target) =>
      exchange(daemon.url, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ),
  );
  for (const [answer] of answers) assert.equal(answer?.status, 500);
  const ofPings = lines().filter(({ url }) => url?.includes('/ping/:pingId'));
  assert.equal(ofPings.length, targets.length);
  assert.ok(!text().includes(secret));
});

function memoryLog() {
  const written: string[] = [];
  return {
    log: pino({}, { write: (line: string) => void written.push(line) }),
    text: () => written.join(''),
    lines: () =>
      written.map(
        (line) => JSON.parse(line) as { level: number; msg: string; url?: string; err?: unknown },
      ),
  };
}
