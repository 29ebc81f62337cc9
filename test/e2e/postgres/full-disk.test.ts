/** A server whose disk is full: what cannot be stored is not called, and once there is space, everything continues. */

import assert from 'node:assert/strict';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { makeNamespace, noNamespaces } from '../../support/running/namespace.ts';
import { until } from '../../support/until.ts';
import { fill } from '../faults/outages.ts';
import {
  assertAllCalledOnce,
  keepAsking,
  prepareOnServer,
  skip,
  untilCalls,
  untilReady,
} from './service.ts';

const jobCount = 300;

test('a server whose disk is full', { skip: skip || noNamespaces }, async (t) => {
  const disk = temporaryDirectory(t);
  chmodSync(disk, 0o755);
  const mounted = await makeNamespace(
    t,
    `mount -t tmpfs -o size=48m,mode=0755,uid=65534,gid=65534 tmpfs ${disk}; mkdir -m 700 ${disk}/data; chown 65534:65534 ${disk}/data`,
  );
  // The write-ahead log is on another disk: without space for it, the server would end.
  await using server = await startPostgres({}, mounted.enter);
  const service = await prepareOnServer(t, server.url, jobCount);
  const { database, ask, askSite, witness } = service;
  await onServer(server.url, `create tablespace small location '${disk}/data'`);
  const name = new URL(database).pathname.slice(1);
  await onServer(server.url, `alter database ${name} set tablespace small`);
  const daemon = await service.start();
  // The first ones at once, then one a second: some are due when the disk is full, however slow the machine is.
  await service.storm(-15_000, jobCount * 1_000);
  const endAsking = keepAsking(service);
  await untilCalls(service, 15);
  const filler = join(mounted.outside(disk), 'filler');
  fill(filler);
  const readiness = async () => JSON.stringify((await askSite('/readyz')).body);
  await until('a claim that fails', async () =>
    /No space left on device.*\b(claim|record)\b[a-z, ]* fails?\)/.test(await readiness()),
  );
  assert.equal((await ask('GET', '/jobs')).status, 200, 'it can be read');
  assert.ok(witness.arrivals.length < jobCount);
  rmSync(filler);
  await untilReady(service);
  await service.hurry();
  await service.untilSettled();
  await endAsking();
  assert.equal(await daemon.stop(), 0, daemon.log());
  await assertAllCalledOnce(service);
});
