/**
 * A damaged database is refused, or used as far as it is readable; no call goes out without a
 * stored claim.
 */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { notPackaged } from '../support/running/executable.ts';
import { assertRefuses } from './faults/refusal.ts';
import { until } from '../support/until.ts';
import { prepareService, type Service } from './faults/service.ts';

const pageSize = 4_096;

test('a database with a destroyed header is refused', { skip: notPackaged }, async (t) => {
  const service = await prepareService(t, ['due']);
  await service.dueIn({ due: 0 });
  overwrite(service, 0, 100);
  await assertRefuses(service.tryStart(), service.dataDir);
  assert.deepEqual(service.witness.arrivals, []);
});

for (const keep of ['half of its pages', 'half of a page less', 'its first page']) {
  test(
    `a database truncated to ${keep} is refused, or serves nothing it cannot store`,
    { skip: notPackaged },
    async (t) => {
      const service = await prepareService(t, ['due']);
      await service.dueIn({ due: 0 });
      const { size } = fs.statSync(storeOf(service));
      const kept = { 'half of its pages': size / 2, 'half of a page less': size - pageSize / 2 }[
        keep
      ];
      fs.truncateSync(storeOf(service), Math.floor(kept ?? pageSize));
      await assertHarmless(t, service);
    },
  );
}

for (const part of [
  'jobs',
  'runs',
  'jobs_by_due_time',
  'runs_by_time',
  'jobs_active',
  'runs_queued_of_job',
  'schema_migrations',
]) {
  test(
    `a database with a destroyed page of ${part} is refused, or serves nothing it cannot store`,
    { skip: notPackaged },
    async (t) => {
      const service = await prepareService(t, ['due']);
      await service.dueIn({ due: 0 });
      overwrite(service, (pageOf(service, part) - 1) * pageSize, pageSize);
      await assertHarmless(t, service);
    },
  );
}

for (const [what, tail] of [
  ['garbage', () => Buffer.alloc(10_000, 0xa5)],
  ['half a frame', (log: Buffer) => log.subarray(32, 32 + 2_000)],
  ['old frames', (log: Buffer) => log.subarray(32, 32 + 3 * (24 + pageSize))],
] as const) {
  test(
    `a write-ahead log that ends with ${what} after a crash is recovered`,
    { skip: notPackaged },
    async (t) => {
      const service = await prepareService(t, ['due', 'later']);
      const first = await service.start();
      await service.dueIn({ due: 0 });
      await service.untilRun('due', 'success');
      await service.dueIn({ later: 0 });
      await service.untilRun('later', 'success');
      const job = { name: 'kept', url: `${service.witness.url}/kept`, cronExpr: '0 0 29 2 *' };
      const made = await service.ask('POST', '/jobs', job);
      assert.equal(made.status, 201);
      await first.stop('SIGKILL');
      const log = `${storeOf(service)}-wal`;
      fs.appendFileSync(log, tail(fs.readFileSync(log)));

      const second = await service.start();
      const found = await service.ask('GET', `/jobs/${made.body.job.id}`);
      assert.deepEqual(found.body, made.body);
      assert.equal((await service.newestRun('due'))?.status, 'success');
      assert.equal(await second.stop(), 0, second.log());
      assert.equal(service.witness.arrivals.length, 2);
      assert.deepEqual(service.audit(), []);
    },
  );
}

function storeOf({ dataDir }: Service): string {
  return join(dataDir, 'jobd.db');
}

/** The first page of a table or an index; a small one has no other. */
function pageOf(service: Service, name: string): number {
  const database = new Database(storeOf(service), { readonly: true });
  const page = database
    .prepare<[string], number>('select rootpage from sqlite_master where name = ?')
    .pluck()
    .get(name);
  database.close();
  return page ?? assert.fail(`there is no ${name}`);
}

function overwrite(service: Service, at: number, length: number): void {
  const file = fs.openSync(storeOf(service), 'r+');
  fs.writeSync(file, Buffer.alloc(length, 0xa5), 0, length, at);
  fs.closeSync(file);
}

/**
 * Either the start is refused, or the process runs, reports that it is not ready, and ends at a signal. Each call that
 * it made was recorded before.
 */
async function assertHarmless(t: TestContext, service: Service): Promise<void> {
  const { witness, dataDir } = service;
  const daemon = service.tryStart();
  const listens = await daemon.listening.then(
    () => true,
    () => false,
  );
  if (!listens) {
    await assertRefuses(daemon, dataDir);
    assert.deepEqual(witness.arrivals, []);
    return;
  }
  await until('a call, or a word about it', async () => {
    if (witness.arrivals.length > 0) return true;
    return (await service.askSite('/readyz')).status === 503;
  });
  for (const { runId } of witness.arrivals) {
    const isKept = ['jobd.db', 'jobd.db-wal'].some((name) =>
      fs.readFileSync(join(dataDir, name)).includes(runId),
    );
    assert.ok(isKept, `run ${runId} was called and is not on the disk`);
  }
  if (witness.arrivals.length === 0)
    assert.match(daemon.log(), /malformed|not a database|disk image/);
  assert.equal((await service.askSite('/healthz')).status, 200);
  void daemon.stop();
  assert.equal(await daemon.ended, 0, daemon.log());
  t.diagnostic(`it served, ${witness.arrivals.length} calls`);
}
